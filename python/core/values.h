// C++ values as Python objects and back, by the limited C API alone: one shared object then serves
// Python 3.9 and every later version.
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/interop/any_layout.h"

namespace heddle::python {

/// A reference that this owns; null after an error of Python's, which is then set.
class Object {
 public:
  explicit Object(PyObject* owned = nullptr) : object_(owned) {}
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { Py_XDECREF(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_;
};

/// Bytes, which Python's `bytes` holds.
struct Bytes {
  std::string bytes;
};

inline Object object_of(bool value) { return Object(PyBool_FromLong(value)); }
inline Object object_of(int value) { return Object(PyLong_FromLong(value)); }
inline Object object_of(std::int64_t value) { return Object(PyLong_FromLongLong(value)); }
inline Object object_of(std::uint64_t value) { return Object(PyLong_FromUnsignedLongLong(value)); }
inline Object object_of(std::string_view text) {
  return Object(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}
inline Object object_of(const std::string& text) { return object_of(std::string_view(text)); }
inline Object object_of(const Bytes& value) {
  return Object(
      PyBytes_FromStringAndSize(value.bytes.data(), static_cast<Py_ssize_t>(value.bytes.size())));
}

template <class T>
Object object_of(const std::vector<T>& values);
template <class... T>
Object object_of(const std::tuple<T...>& values);

/// A list.
template <class T>
Object object_of(const std::vector<T>& values) {
  Object list(PyList_New(0));
  for (const T& value : values) {
    const Object item = object_of(value);
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return Object();
  }
  return list;
}

/// A tuple.
template <class... T>
Object object_of(const std::tuple<T...>& values) {
  Object tuple(PyTuple_New(sizeof...(T)));
  bool good = static_cast<bool>(tuple);
  Py_ssize_t next = 0;
  std::apply(
      [&](const T&... each) {
        // PyTuple_SetItem takes the reference, also when it fails.
        ((good = good &&
                 [&] {
                   Object item = object_of(each);
                   return item && PyTuple_SetItem(tuple.get(), next++, item.release()) == 0;
                 }()),
         ...);
      },
      values);
  return good ? std::move(tuple) : Object();
}

/// What a call gives: a value, or the sentence that becomes heddle.Error.
template <class T>
using Answer = std::expected<T, std::string>;

/// Reads one argument. False after an error of Python's, which is then set.
bool read(PyObject* object, std::string& into);
bool read(PyObject* object, std::int64_t& into);
bool read(PyObject* object, int& into);
bool read(PyObject* object, bool& into);

template <class T>
bool read(PyObject* object, std::vector<T>& into) {
  const Py_ssize_t size = PySequence_Size(object);
  if (size < 0) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Object item(PySequence_GetItem(object, i));
    if (!item || !read(item.get(), into.emplace_back())) return false;
  }
  return true;
}

/// Null, with the sentence set as a heddle.Error.
PyObject* refuse(const std::string& sentence);

/// What `call` gives, or null with an error of Python's where it throws.
PyObject* guarded(auto&& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

/// A function of Python's from one of C++ that takes values and gives an Answer: its arguments are
/// positional, as many as that has.
template <auto function>
struct Call;
template <class Result, class... Arguments, Answer<Result> (*function)(Arguments...)>
struct Call<function> {
  static PyObject* call(PyObject*, PyObject* given) {
    if (PyTuple_Size(given) != static_cast<Py_ssize_t>(sizeof...(Arguments))) {
      PyErr_Format(PyExc_TypeError, "this takes %d arguments, not %zd",
                   static_cast<int>(sizeof...(Arguments)), PyTuple_Size(given));
      return nullptr;
    }
    return guarded([&]() -> PyObject* {
      std::tuple<std::remove_cvref_t<Arguments>...> arguments;
      bool good = true;
      Py_ssize_t next = 0;
      std::apply(
          [&](auto&... each) {
            ((good = good && read(PyTuple_GetItem(given, next++), each)), ...);
          },
          arguments);
      if (!good) return nullptr;
      const Answer<Result> answer = std::apply(function, arguments);
      return answer ? object_of(*answer).release() : refuse(answer.error());
    });
  }
};

/// The text by which a layout crosses: Heddle's own, or CuTe's of a function of coordinates.
std::string text_of(const interop::Meaning& meaning);

/// The entries of the module's table, each file its own.
std::vector<PyMethodDef> layout_functions();
std::vector<PyMethodDef> question_functions();

}  // namespace heddle::python
