// The search of KDE's game Bovo as a brain of Gomocup: it deepens, two plies at a time, as long as it is told to think.
#include "pisqpipe.h"

#undef max
#undef min

#include "ai_interface.h"

const char *infotext = "name=\"Bovo\", author=\"Gabor Pelladi\"";

static const int DEEPEST = 40;           // plies; time ends long before
static const unsigned SPARE = 100;       // milliseconds that stay unused
static const unsigned LEAST = 10;        // milliseconds that even the shortest move may take
static const int MOVES_LEFT = 15;        // over which the time that is left is spread

struct Clock : AiTimeOver {
    bool isTimeOver() override {
        unsigned most = (unsigned)(info_time_left / MOVES_LEFT), limit = (unsigned)info_timeout_turn;
        if (most < limit) limit = most;
        return GetTickCount() - start_time >= (limit > SPARE + LEAST ? limit - SPARE : LEAST);
    }
};

static AiInterface search;
static Clock clock_of_search;

void brain_init() {
    if (width != height || width > max_table_size) {
        pipeOut("ERROR Bovo plays on square boards of up to %d cells a side", (int)max_table_size);
        return;
    }
    search.setTableSize(width);
    search.setStartDepth(2);
    search.setMaxDepth(DEEPEST);
    search.setRandomAmount(2); // as Bovo's own highest levels
    search.setPrintInfo(false);
    search.setTimeOver(&clock_of_search);
    brain_restart();
}

void brain_restart() {
    search.newGame();
    pipeOut("OK");
}

// Stones are told in the order in which they were played: colours alternate.
void brain_my(int x, int y) { search.step(x, y); }
void brain_opponents(int x, int y) { search.step(x, y); }
void brain_block(int, int) { pipeOut("ERROR Bovo plays no continuous games"); }
int brain_takeback(int, int) { return 1; }

void brain_turn() {
    Field move = search.think();
    do_mymove(move.x, move.y);
}

void brain_end() {}
