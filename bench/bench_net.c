/*
 * How long `cubesim net` takes for the convolutions of ResNet-50 at batch 1, timing only, with a
 * new database and with one that holds all runs.
 *
 *     bench_net [ROUNDS]
 *
 * Each figure is the median of the rounds in seconds, with the least and the greatest beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/rounds.h"

/* Seconds of one run of the program. */
static double run_network(const char *db)
{
    char command[512];
    snprintf(command, sizeof command,
             "'" CUBESIM_BINARY
             "' net configs/networks/resnet50.csv --batch 1 --db '%s' >/dev/null",
             db);
    double start = rounds_now();
    if (system(command) != 0) {
        fprintf(stderr, "bench_net: failed: %s\n", command);
        exit(1);
    }
    return rounds_now() - start;
}

static void print_figure(const char *name, double *seconds, long rounds)
{
    struct spread spread = rounds_spread(seconds, rounds);
    printf("%-40s %8.3f s (%.3f - %.3f)\n", name, spread.median, spread.least, spread.greatest);
}

int main(int argc, char **argv)
{
    double cold[ROUNDS_MAX], stored[ROUNDS_MAX];
    char folder[] = "/tmp/bench-net-XXXXXX", db[64];
    long rounds = rounds_parse(argc, argv);
    if (rounds == 0)
        return 2;
    if (mkdtemp(folder) == NULL)
        return 3;
    snprintf(db, sizeof db, "%s/net.db", folder);
    for (long i = 0; i < rounds; i++) {
        unlink(db);
        cold[i] = run_network(db);
        stored[i] = run_network(db);
    }
    print_figure("net, ResNet-50, new database", cold, rounds);
    print_figure("net, ResNet-50, all runs stored", stored, rounds);
    unlink(db);
    rmdir(folder);
    return 0;
}
