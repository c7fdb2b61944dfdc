// A function that Wine 8 lacks and SQLite's addon needs.
#include <windows.h>

#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes) { return RtlGenRandom(data, (ULONG)bytes); }
