/* For realpath. */
#define _XOPEN_SOURCE 700

#include "cli/whole_file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The draft that a signal removes; NULL when there is none. */
static const char *volatile open_draft;

static void remove_draft(int signal_number)
{
    if (open_draft != NULL)
        unlink(open_draft);
    raise(signal_number);
}

/* SA_RESETHAND, so that the signal does afterwards what it always does. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = remove_draft;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        /* What nohup told the program to ignore stays ignored. */
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static enum status cannot_write(const struct whole_file *file, struct diag *diag)
{
    return diag_add(diag, STATUS_IO, place_none(), "cannot write %s: %s", file->name,
                    strerror(errno));
}

static enum status no_memory(struct diag *diag)
{
    return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
}

/* The stream of stdout stays free for what the program says at its end. */
static enum status open_standard_output(struct whole_file *file, struct diag *diag)
{
    file->name = "standard output";
    int copy = dup(STDOUT_FILENO);
    file->file = copy < 0 ? NULL : fdopen(copy, "wb");
    return file->file == NULL ? cannot_write(file, diag) : STATUS_OK;
}

static bool same_file(const struct stat *one, const char *path)
{
    struct stat other;
    return path != NULL && stat(path, &other) == 0 && one->st_dev == other.st_dev &&
           one->st_ino == other.st_ino;
}

/* Opens a draft with the rights that a new file gets, or those of the file that it replaces. */
static enum status open_draft_of(struct whole_file *file, mode_t mode, struct arena *arena,
                                 struct diag *diag)
{
    char *draft = arena_format(arena, "%s.XXXXXX", file->path);
    if (draft == NULL)
        return no_memory(diag);
    int descriptor = mkstemp(draft);
    if (descriptor < 0)
        return cannot_write(file, diag);
    open_draft = draft;
    catch_signals();
    file->draft = draft;
    file->file = fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->file != NULL)
        return STATUS_OK;
    enum status status = cannot_write(file, diag);
    close(descriptor);
    unlink(draft);
    open_draft = NULL;
    return status;
}

enum status whole_file_open(struct whole_file *file, const char *path, const char *keep,
                            struct arena *arena, struct diag *diag)
{
    *file = (struct whole_file){.path = NULL};
    if (path == NULL)
        return open_standard_output(file, diag);
    char shown[EXCERPT_SIZE_BYTES];
    file->name = arena_format(arena, "'%s'", excerpt_format(path, shown, sizeof shown));
    /* A link stays; the file that it names is replaced. */
    char resolved[PATH_MAX];
    file->path =
        realpath(path, resolved) == NULL ? path : arena_text(arena, resolved, strlen(resolved));
    if (file->name == NULL || file->path == NULL)
        return no_memory(diag);
    struct stat there;
    if (stat(path, &there) != 0) {
        mode_t mask = umask(0);
        umask(mask);
        return open_draft_of(file, 0666 & ~mask, arena, diag);
    }
    if (same_file(&there, keep))
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "-o: found %s, the database itself; expected another file", file->name);
    if (S_ISREG(there.st_mode))
        return access(path, W_OK) == 0 ? open_draft_of(file, there.st_mode & 07777, arena, diag)
                                       : cannot_write(file, diag);
    file->file = fopen(path, "wb");
    return file->file == NULL ? cannot_write(file, diag) : STATUS_OK;
}

enum status whole_file_close(struct whole_file *file, enum status status, struct diag *diag)
{
    bool closed = fclose(file->file) == 0;
    if (status == STATUS_OK && !closed)
        status = cannot_write(file, diag);
    if (file->draft == NULL)
        return status;
    if (status == STATUS_OK && rename(file->draft, file->path) != 0)
        status = cannot_write(file, diag);
    if (status != STATUS_OK)
        unlink(file->draft);
    open_draft = NULL;
    return status;
}
