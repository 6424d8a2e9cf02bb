// The least a C++ program does: what the dynamic loader and the standard library take.
#include <iostream>

int main() { std::cout << "\n"; }
