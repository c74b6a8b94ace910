#include "cli/help_metrics.h"

#include <stddef.h>

#include "cli/terminal.h"
#include "cli/text.h"

enum { WORD_COLUMNS = 11 };

static const struct {
    const char *word, *meaning;
} metrics[] = {
    {"busy", "cycles in which an instruction occupies the pipe, those lost to a shared link too"},
    {"waiting", "cycles in which the pipe has more to do and something holds it: the cause"},
    {"idle", "cycles after the last instruction of the pipe; busy + waiting + idle = cycles"},
    {"link", "the part of busy that is lost on a link (to L2, to GM) that others use too"},
    {"active", "cycles from the start of an instruction until its result is visible, each cycle "
               "counted once; vendor counters resemble it more than busy"},
    {"startup", "from the start of the kernel to the first instruction; a part of SCALAR's share"},
    {"dispatch", "SCALAR has not issued the instruction yet"},
    {"queue full", "SCALAR holds an instruction back, since the queue of its pipe is full"},
    {"flag PIPE", "wait_flag, until PIPE sets the flag"},
    {"hand-over", "from the work of one pipe to that of the next: the latency of results, and what "
                  "flags and barriers cost"},
    {"bound", "the pipe with the largest share of the critical path, the chain of instructions and "
              "causes that leads to the last completion; latency when hand-over has more"},
    {"path", "in show: what most cycles of a column of the critical path went to; digits and "
             "capitals are pipes at work, small letters all else; a link share (x) is what an "
             "instruction of the path lost to others on a link"},
    {"useful",
     "MACs of the convolution or product as a share of those that the cube did; the rest is "
     "padding of 16 x C0 x 16 fractals"},
    {"padding", "the rest of useful by cause, as shares of what the cube does: M, rows of the last "
                "fractal of a tile; N, output channels up to 16; C0 (of a product K), input "
                "channels up to 32 bytes; groups, both where each group is padded by itself"},
    {"tail", "rounds: L0 tiles of the core that has most, full: all tiles over rounds x cores; "
             "over the mean: the slowest core against the average of those that work; idle: cores "
             "of the product that have nothing to do"},
    {"peak", "MACs that the cubes of the cores in use could do"},
    {"roofline", "bytes and MACs in a cycle, of all cores of the run, against the most that the "
                 "product allows them at each level: GM (what L2 does not hold), L2, L1 to L0A and "
                 "to L0B, MTE1 (both, as it loads them in turn), L0C (stores), CUBE"},
    {"MAC/B", "arithmetic intensity: useful MACs for each byte that passes a level"},
    {"roof", "the most bytes or MACs in a cycle there; reached: the share of it that the run has; "
             "the nearest roof is the one that is reached most"},
    {"range", "the time simulated again with the product's numbers at their fast and slow ends"},
    {"basis", "how firm the numbers behind the critical path are: vendor, measured, fitted, guess"},
    {"nearest", "the measured kernel that a plan resembles most, and the error of the model there; "
                "distance: 0.7 for twice the work, 2.3 for ten times; fit, check, calibration: "
                "whether numbers were fitted to it"},
    {"outside", "in what a plan lies outside of all measured kernels, with their values"},
    {"left out", "what the real task takes besides, and the time here does not include"},
    {"task", "time and launch together; cycles and time begin when the kernel starts"},
};

void help_metrics_print(FILE *stream)
{
    struct arena arena;
    arena_init(&arena, 0);
    fputs("cubesim: the words of run and show\n\n", stream);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        text_print_wrapped(stream, &arena, metrics[i].word, WORD_COLUMNS, metrics[i].meaning,
                           TERMINAL_WIDTH);
    fputs("\ncycles are those of the core's clock; shares are of the whole run, unless said\n",
          stream);
    arena_deinit(&arena);
}
