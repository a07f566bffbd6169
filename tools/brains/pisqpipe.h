// The names by which brains that were written on Gomocup's C++ skeleton and what speaks the protocol for them know each other.
#ifndef BRAINS_PISQPIPE_H
#define BRAINS_PISQPIPE_H

#include "windows.h"

// What the manager has said.
extern int width, height;
extern int info_timeout_turn, info_timeout_match, info_time_left; // milliseconds
extern DWORD64 info_max_memory;                                   // bytes; 0: as much as there is
extern int info_game_type;
extern int info_exact5, info_continuous, info_renju, info_caro; // rules
extern char dataFolder[256];

extern unsigned start_time; // GetTickCount() when the move was asked for
extern int terminateAI;     // 0 while the brain may think

// The brain's part.
extern const char *infotext;
void brain_init();
void brain_restart();
void brain_turn();
void brain_my(int x, int y);
void brain_opponents(int x, int y);
void brain_block(int x, int y);
int brain_takeback(int x, int y); // 0: done, 1: the brain cannot, 2: there is no stone
void brain_end();

// What brains call.
int pipeOut(const char *format, ...);
void do_mymove(int x, int y);
void suggest(int x, int y);

#endif
