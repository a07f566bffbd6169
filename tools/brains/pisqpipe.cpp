// Speaks the protocol of Gomocup for a brain that was written on its C++ skeleton. One line after the other, in one thread: a
// brain watches its own clock, and who wants it to end ends the process.
#include "pisqpipe.h"

int width, height;
int info_timeout_turn = 30000, info_timeout_match = 1000000000, info_time_left = 1000000000;
DWORD64 info_max_memory;
int info_game_type = 1;
int info_exact5, info_continuous, info_renju, info_caro;
char dataFolder[256];
unsigned start_time;
int terminateAI;

int pipeOut(const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = vprintf(format, values);
    va_end(values);
    putchar('\n');
    fflush(stdout);
    return count;
}

void do_mymove(int x, int y) {
    brain_my(x, y);
    pipeOut("%d,%d", x, y);
}

void suggest(int x, int y) { pipeOut("SUGGEST %d,%d", x, y); }

static bool on_board(int x, int y) { return 0 <= x && x < width && 0 <= y && y < height; }

static void think() {
    terminateAI = 0;
    brain_turn();
}

static void take_info(const char *key, const char *value) {
    struct {
        const char *key;
        int *place;
    } numbers[] = {{"timeout_turn", &info_timeout_turn},
                   {"timeout_match", &info_timeout_match},
                   {"time_left", &info_time_left},
                   {"game_type", &info_game_type}};
    for (auto &number : numbers)
        if (!strcasecmp(key, number.key)) *number.place = atoi(value);
    if (!strcasecmp(key, "max_memory")) info_max_memory = strtoull(value, 0, 10);
    if (!strcasecmp(key, "folder")) snprintf(dataFolder, sizeof dataFolder, "%s", value);
    if (!strcasecmp(key, "rule")) {
        int bits = atoi(value);
        info_exact5 = bits & 1, info_continuous = bits >> 1 & 1, info_renju = bits >> 2 & 1, info_caro = bits >> 3 & 1;
    }
}

// Lines "x,y,whose" up to DONE; then it is the brain's turn.
static void take_board() {
    char line[256];
    int x, y, whose;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncasecmp(line, "done", 4)) {
            think();
            return;
        }
        if (sscanf(line, "%d,%d,%d", &x, &y, &whose) != 3 || !on_board(x, y))
            pipeOut("ERROR this is no stone of the board");
        else if (whose == 1)
            brain_my(x, y);
        else if (whose == 2)
            brain_opponents(x, y);
        else
            brain_block(x, y);
    }
}

static void take_size(int columns, int rows) {
    if (columns < 5 || rows < 5) {
        pipeOut("ERROR the board is too small");
        return;
    }
    width = columns, height = rows;
    brain_init();
}

static void take_point(const char *word, int x, int y) {
    if (!on_board(x, y))
        pipeOut("ERROR this is no cell of the board");
    else if (!strcasecmp(word, "turn")) {
        brain_opponents(x, y);
        think();
    } else if (!strcasecmp(word, "play"))
        do_mymove(x, y);
    else
        pipeOut(brain_takeback(x, y) == 0 ? "OK" : "UNKNOWN this stone cannot be taken back");
}

static void take(const char *line) {
    char word[32] = "", key[32] = "", value[200] = "";
    int x = -1, y = -1;
    sscanf(line, "%31s", word);
    const char *rest = line + strspn(line, " ") + strlen(word);
    start_time = GetTickCount();
    if (!strcasecmp(word, "start") && sscanf(rest, "%d", &x) == 1)
        take_size(x, x);
    else if (!strcasecmp(word, "rectstart") && sscanf(rest, "%d ,%d", &x, &y) == 2)
        take_size(x, y);
    else if (!strcasecmp(word, "info")) {
        if (sscanf(rest, "%31s %199[^\r\n]", key, value) == 2) take_info(key, value);
    } else if (!strcasecmp(word, "about"))
        pipeOut("%s", infotext);
    else if (!strcasecmp(word, "end")) {
        brain_end();
        exit(0);
    } else if (!width)
        pipeOut("ERROR no game has been started");
    else if (!strcasecmp(word, "restart"))
        brain_restart();
    else if (!strcasecmp(word, "begin"))
        think();
    else if (!strcasecmp(word, "board"))
        take_board();
    else if ((!strcasecmp(word, "turn") || !strcasecmp(word, "play") || !strcasecmp(word, "takeback")))
        sscanf(rest, "%d,%d", &x, &y), take_point(word, x, y);
    else
        pipeOut("UNKNOWN command");
}

int main() {
    char line[256];
    while (fgets(line, sizeof line, stdin))
        if (strspn(line, " \r\n") < strlen(line)) take(line);
    return 0;
}
