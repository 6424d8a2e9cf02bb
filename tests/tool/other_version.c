// A module of another version (no_module.txt).
struct module {
  const char *version;
  int (*compile)(const void *);
  int (*run)(const void *);
};

const struct module *heddle_compile_module(void) {
  static const struct module other = {"0.0.0", 0, 0};
  return &other;
}
