// What sources of Gomocup brains use of Windows, for other systems: types, a clock, and the two macros.
#ifndef BRAINS_WINDOWS_H
#define BRAINS_WINDOWS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

typedef uint32_t DWORD;
typedef uint64_t DWORD64;
typedef unsigned char BYTE;

// Milliseconds of a clock that is never set; only differences mean something.
static inline DWORD GetTickCount() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (DWORD)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static inline void Sleep(DWORD milliseconds) { usleep(milliseconds * 1000); }

#define UInt32x32To64(a, b) ((uint64_t)(uint32_t)(a) * (uint32_t)(b))
#define _stricmp strcasecmp
#define _strnicmp strncasecmp

// As macros, and last: the headers above are read before the words mean something else.
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))

#endif
