#ifdef CLATTER_SANITIZED

/// Read by the leak sanitizer. libassimp keeps what it has of a file that it gives up reading; what
/// this project leaks itself is still told.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp\n"; }

#endif
