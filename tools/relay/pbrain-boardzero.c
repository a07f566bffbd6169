/* pbrain-boardzero: passes a tournament manager's lines to `boardzero engine gomocup --listen PORT` and its answers back.
 *
 * For managers that want a Windows program (Piskvork), while boardzero runs in Python, in WSL or elsewhere on the machine.
 * It connects to 127.0.0.1 at the port in the environment variable BOARDZERO_PORT, or else in the first line of the file
 * pbrain-boardzero.port beside this program (managers start it in a folder of their own), or else at 5555.
 *
 * Windows:  x86_64-w64-mingw32-gcc -O2 -s -static -o pbrain-boardzero.exe pbrain-boardzero.c -lws2_32
 * Unix:     cc -O2 -o pbrain-boardzero pbrain-boardzero.c -lpthread
 */
#ifdef _WIN32
#include <winsock2.h>
#include <windows.h>
#include <fcntl.h>
#include <io.h>
typedef SOCKET connection;
#define NO_CONNECTION INVALID_SOCKET
#define SHUT_WR SD_SEND
#define read_input(buffer, size) _read(0, buffer, size)
#define write_output(buffer, size) _write(1, buffer, size)
#else
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
typedef int connection;
#define NO_CONNECTION (-1)
#define read_input(buffer, size) read(0, buffer, size)
#define write_output(buffer, size) write(1, buffer, size)
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_PORT 5555
#define PORT_FILE "pbrain-boardzero.port"
#define LONGEST_PATH 4096

static connection server;

/* Where this program is, as a string; 0 if the system does not tell. */
static int find_program(char *path) {
#ifdef _WIN32
    DWORD length = GetModuleFileNameA(NULL, path, LONGEST_PATH);
    return length > 0 && length < LONGEST_PATH;
#else
    ssize_t length = readlink("/proc/self/exe", path, LONGEST_PATH - 1);
    if (length <= 0) {
        return 0;
    }
    path[length] = '\0';
    return 1;
#endif
}

/* The file with the port, beside this program; in the current folder where that is not known. */
static FILE *open_port_file(void) {
    char path[LONGEST_PATH + sizeof PORT_FILE] = "";
    size_t folder = 0, index;
    if (find_program(path)) {
        for (index = 0; path[index] != '\0'; index++) {
            if (path[index] == '/' || path[index] == '\\') {
                folder = index + 1;
            }
        }
    }
    strcpy(path + folder, PORT_FILE);
    return fopen(path, "r");
}

static int find_port(void) {
    const char *text = getenv("BOARDZERO_PORT");
    char line[32];
    int port = 0;
    if (text == NULL) {
        FILE *file = open_port_file();
        if (file != NULL) {
            if (fgets(line, sizeof line, file) != NULL) {
                text = line;
            }
            fclose(file);
        }
    }
    if (text != NULL) {
        port = atoi(text);
    }
    return port > 0 && port < 65536 ? port : USUAL_PORT;
}

static int connect_to(int port) {
    struct sockaddr_in address;
    int yes = 1;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (server == NO_CONNECTION) {
        return 0;
    }
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
    return connect(server, (struct sockaddr *)&address, sizeof address) == 0;
}

/* All that comes from the manager goes to the server; when the manager closes its end, the server is told so. */
static void pass_input(void) {
    char buffer[4096];
    int count;
    while ((count = (int)read_input(buffer, sizeof buffer)) > 0) {
        int sent = 0;
        while (sent < count) {
            int more = (int)send(server, buffer + sent, count - sent, 0);
            if (more <= 0) {
                return;
            }
            sent += more;
        }
    }
    shutdown(server, SHUT_WR);
}

#ifdef _WIN32
static DWORD WINAPI input_thread(LPVOID unused) {
    (void)unused;
    pass_input();
    return 0;
}
#else
static void *input_thread(void *unused) {
    (void)unused;
    pass_input();
    return NULL;
}
#endif

int main(void) {
    char buffer[4096];
    int count, port = find_port();
#ifdef _WIN32
    WSADATA data;
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    if (WSAStartup(MAKEWORD(2, 2), &data) != 0) {
        printf("ERROR Windows has no network\n");
        return 1;
    }
#endif
    if (!connect_to(port)) {
        printf("ERROR nobody listens on 127.0.0.1:%d; start: boardzero engine gomocup --listen %d\n", port, port);
        return 1;
    }
#ifdef _WIN32
    if (CreateThread(NULL, 0, input_thread, NULL, 0, NULL) == NULL) {
        return 1;
    }
#else
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, input_thread, NULL) != 0) {
            return 1;
        }
    }
#endif
    while ((count = (int)recv(server, buffer, sizeof buffer, 0)) > 0) {
        int written = 0;
        while (written < count) {
            int more = (int)write_output(buffer + written, count - written);
            if (more <= 0) {
                return 1;
            }
            written += more;
        }
    }
    return 0;
}
