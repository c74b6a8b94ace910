#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/status.h"

static volatile sig_atomic_t finishing;
static volatile sig_atomic_t interrupted;

static void tell(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0)
        return;
}

static void take_interrupt(int signal_number)
{
    static const char stopped[] = "\ncubesim: interrupted; nothing was saved\n";
    static const char told[] = "\ncubesim: finishing this run; interrupt again to stop at once\n";
    if (finishing == 0) {
        tell(stopped, sizeof stopped - 1);
        _exit(status_exit_code(STATUS_STOPPED));
    }
    interrupted = signal_number;
    tell(told, sizeof told - 1);
}

void interrupt_ends(void)
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = take_interrupt;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
}

void interrupt_finishes(void)
{
    finishing = 1;
}

bool interrupt_came(void)
{
    return interrupted != 0;
}
