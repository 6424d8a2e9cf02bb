// C++ exceptions in WebAssembly. Debian's libc++abi for wasm32-wasi is compiled without them, so
// the functions that compiled code calls to throw and to catch are here, over WebAssembly's own
// `throw`.
//
// How it works: clang compiles a throw to __cxa_throw, and a handler to `catch $__cpp_exception`.
// A handler of certain types puts its number and the table of its function into __wasm_lpad_context
// and calls _Unwind_CallPersonality, which finds the first type that catches what was thrown.
// Destructors on the way need none of this: they are `catch_all` and `rethrow`.
//
// The interface is the Itanium C++ ABI's (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html)
// and that of clang's WebAssembly exceptions (WebAssembly/tool-conventions, EHScheme.md). The
// program has one thread, and neither std::exception_ptr nor foreign exceptions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

// The tag of C++'s exceptions, whose argument is the address of the Exception below.
__asm__(
    ".tagtype __cpp_exception i32\n"
    ".globl __cpp_exception\n"
    "__cpp_exception:\n");

namespace {

using Destructor = void*(void*);  // on WebAssembly a destructor returns the object's address

/// Stands before each thrown object.
struct alignas(16) Exception {
  const std::type_info* type;
  Destructor* destroy;
  Exception* outer;   // what is caught around this one
  int handlers;       // that are handling it now
  bool thrown_again;  // it is on its way to another handler, and outlives the present one
  void* caught;       // the thrown object as its handler sees it: perhaps a base of it

  void* object() { return this + 1; }
  static Exception* of(void* object) { return static_cast<Exception*>(object) - 1; }
};

Exception* innermost = nullptr;  // of those that are being handled

/// What a std::type_info of libc++abi also answers. The functions stand in its virtual table in
/// this order, as in libsupc++.
class CatchableType : public std::type_info {
 public:
  ~CatchableType() override;
  virtual void is_pointer() const;
  virtual void is_function() const;
  /// Whether a handler of this type catches an object of the type `thrown`; `object` is then
  /// adjusted.
  virtual bool catches(const CatchableType* thrown, void*& object) const = 0;
};

[[noreturn]] void raise(Exception* exception) { __builtin_wasm_throw(0, exception); }

/// The next number of an exception table, as LEB128.
std::int32_t next_number(const std::uint8_t*& at, bool is_signed) {
  std::uint32_t number = 0;
  unsigned shift = 0;
  std::uint8_t byte;
  do {
    byte = *at++;
    number |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0);
  if (is_signed && (byte & 0x40) != 0 && shift < 32) number |= ~std::uint32_t{0} << shift;
  return static_cast<std::int32_t>(number);
}

/// The number of the first type in the handler's list that catches the exception; 0 if none does.
/// The table: 0xff, 0x00, the distance to the end of the types, 0x01, the size of the handlers'
/// part, two numbers for each handler, of which the second is the place of its list from 1 on, and
/// the lists: pairs of a type's number and the distance to the next pair, 0 at the end.
std::uint32_t matching_type(Exception& exception, const std::uint8_t* table,
                            std::uint32_t handler) {
  const std::uint8_t* at = table + 2;
  const std::int32_t to_types = next_number(at, false);
  const auto* types_end = reinterpret_cast<const std::type_info* const*>(at + to_types);
  ++at;
  const std::int32_t handlers_size = next_number(at, false);
  const std::uint8_t* const lists = at + handlers_size;
  std::int32_t list = 0;
  for (std::uint32_t i = 0; i <= handler; ++i) {
    next_number(at, false);
    list = next_number(at, false);
  }
  if (list == 0) return 0;
  for (at = lists + (list - 1);;) {
    const std::int32_t number = next_number(at, true);
    const std::uint8_t* const here = at;
    const std::int32_t next = next_number(at, true);
    if (number > 0) {
      const std::type_info* type = types_end[-number];
      exception.caught = exception.object();
      if (type == nullptr ||  // catch (...)
          static_cast<const CatchableType*>(type)->catches(
              static_cast<const CatchableType*>(exception.type), exception.caught))
        return static_cast<std::uint32_t>(number);
    }
    if (next == 0) return 0;
    at = here + next;
  }
}

}  // namespace

extern "C" {

/// What a handler and _Unwind_CallPersonality tell each other, laid out as clang expects it.
struct {
  std::uint32_t handler;
  const std::uint8_t* table;
  std::uint32_t type;  // the answer
} __wasm_lpad_context;

/// Compiled code names it, but calls _Unwind_CallPersonality.
void __gxx_wasm_personality_v0() {}

int _Unwind_CallPersonality(void* exception) {
  auto& context = __wasm_lpad_context;
  context.type = matching_type(*static_cast<Exception*>(exception), context.table, context.handler);
  return 0;
}

void* __cxa_allocate_exception(std::size_t size) noexcept {
  void* memory = std::malloc(sizeof(Exception) + size);
  if (memory == nullptr) std::terminate();
  return (new (memory) Exception{})->object();
}

void __cxa_free_exception(void* object) noexcept { std::free(Exception::of(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, Destructor* destroy) {
  Exception* exception = Exception::of(object);
  exception->type = type;
  exception->destroy = destroy;
  exception->caught = object;
  raise(exception);
}

void* __cxa_get_exception_ptr(void* exception) noexcept {
  return static_cast<Exception*>(exception)->caught;
}

void* __cxa_begin_catch(void* thrown) noexcept {
  auto* exception = static_cast<Exception*>(thrown);
  exception->thrown_again = false;
  if (exception->handlers++ == 0) {
    exception->outer = innermost;
    innermost = exception;
  }
  return exception->caught;
}

void __cxa_end_catch() {
  Exception* exception = innermost;
  if (--exception->handlers != 0) return;
  innermost = exception->outer;
  if (exception->thrown_again) return;
  if (exception->destroy != nullptr) exception->destroy(exception->object());
  __cxa_free_exception(exception->object());
}

[[noreturn]] void __cxa_rethrow() {
  if (innermost == nullptr) std::terminate();
  innermost->thrown_again = true;
  raise(innermost);
}

}  // extern "C"

// libc++'s own ends the program where there is no memory.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
