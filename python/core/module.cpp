// The extension module heddle._core. It holds no state: layouts cross as their texts, and classes
// are Python's (python/heddle).
#include "python/core/values.h"

namespace heddle::python {

bool read(PyObject* object, std::string& into) {
  if (!PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "a str was expected");
    return false;
  }
  const Object bytes(PyUnicode_AsEncodedString(object, "utf-8", "replace"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) < 0) return false;
  into.assign(data, static_cast<std::size_t>(size));
  return true;
}

bool read(PyObject* object, std::int64_t& into) {
  into = PyLong_AsLongLong(object);
  return into != -1 || PyErr_Occurred() == nullptr;
}

bool read(PyObject* object, int& into) {
  const long value = PyLong_AsLong(object);
  if (value == -1 && PyErr_Occurred() != nullptr) return false;
  into = static_cast<int>(value);
  if (into == value) return true;
  PyErr_SetString(PyExc_OverflowError, "an int of 32 bits was expected");
  return false;
}

bool read(PyObject* object, bool& into) {
  const int value = PyObject_IsTrue(object);
  into = value == 1;
  return value >= 0;
}

namespace {

PyObject* error = nullptr;  // heddle.Error, of the one interpreter that loads the module

std::vector<PyMethodDef>& functions() {
  static std::vector<PyMethodDef> table = [] {
    std::vector<PyMethodDef> all = layout_functions();
    for (const PyMethodDef& each : question_functions()) all.push_back(each);
    all.push_back({nullptr, nullptr, 0, nullptr});
    return all;
  }();
  return table;
}

}  // namespace

PyObject* refuse(const std::string& sentence) {
  const Object text = object_of(sentence);
  if (text) PyErr_SetObject(error, text.get());
  return nullptr;
}

}  // namespace heddle::python

PyMODINIT_FUNC PyInit__core() {  // NOLINT(bugprone-reserved-identifier): Python wants this name
  using namespace heddle::python;
  static PyModuleDef definition{PyModuleDef_HEAD_INIT,
                                "heddle._core",
                                "The compiled part of heddle: see _core.pyi.",
                                -1,
                                functions().data(),
                                nullptr,
                                nullptr,
                                nullptr,
                                nullptr};
  Object module(PyModule_Create(&definition));
  if (!module) return nullptr;
  error = PyErr_NewExceptionWithDoc(
      "heddle.Error",
      "Heddle refused its input. The sentence says what was wrong, where, and what would be right.",
      PyExc_ValueError, nullptr);
  if (error == nullptr) return nullptr;
  Py_INCREF(error);
  if (PyModule_AddObject(module.get(), "Error", error) < 0) return nullptr;
  if (PyModule_AddStringConstant(module.get(), "version", HEDDLE_VERSION) < 0) return nullptr;
  return module.release();
}
