#include "traces/chrome_event.h"

#include <assert.h>
#include <string.h>

#include "traces/flag_counts.h"
#include "traces/lanes.h"

/* Numbers of processes lie beside those of threads. */
enum { PROCESS_FIRST = 1000, FLAGS_TRACK_STEP = 1, CORES_MAX = 1024 };

/* thread, place from the top (the order in which data flows), colour */
static const struct {
    uint32_t thread, place;
    const char *colour;
} pipe_rows[PIPE_COUNT] = {
    [PIPE_SCALAR] = {10, 6, "startup"},
    [PIPE_VECTOR] = {30, 4, "cq_build_failed"},
    [PIPE_CUBE] = {40, 2, "background_memory_dump"},
    [PIPE_MTE1] = {50, 1, "thread_state_running"},
    [PIPE_MTE2] = {60, 0, "thread_state_iowait"},
    [PIPE_MTE3] = {70, 5, "rail_response"},
    [PIPE_FIXP] = {80, 3, "thread_state_unknown"},
};

static uint32_t track_thread(struct chrome_track track)
{
    return pipe_rows[track.pipe].thread + (track.is_flags ? FLAGS_TRACK_STEP : 0);
}

/* ---- pieces ---- */

static void put_key_number(struct output *output, const char *key, uint64_t number)
{
    output_text(output, key);
    output_number(output, number);
}

static void put_key_text(struct output *output, const char *key, const char *text)
{
    output_text(output, key);
    output_json(output, text);
}

/* Behind the first event, which chrome_begin writes. */
static void put_head(struct output *output, const char *phase, uint32_t core)
{
    put_key_text(output, ",\n{\"ph\":", phase);
    put_key_number(output, ",\"pid\":", PROCESS_FIRST + core);
}

static void put_track_head(struct output *output, const char *phase, struct chrome_track track)
{
    put_head(output, phase, track.core);
    put_key_number(output, ",\"tid\":", track_thread(track));
}

static void put_ts(struct output *output, const char *key, uint64_t ns)
{
    output_text(output, key);
    output_thousandths(output, ns);
}

static void put_slice(struct output *output, const struct chrome_span *span, const char *category,
                      const char *colour)
{
    assert(span->end_ns > span->start_ns);
    put_track_head(output, "X", span->track);
    put_ts(output, ",\"ts\":", span->start_ns);
    put_ts(output, ",\"dur\":", span->end_ns - span->start_ns);
    put_key_text(output, ",\"cat\":", category);
    put_key_text(output, ",\"cname\":", colour);
}

static void put_blocker(struct output *output, const struct stored_row *row)
{
    if (row->blocker_pipe >= PIPE_COUNT)
        return;
    put_key_text(output, ",\"for\":", pipe_word((enum pipe)row->blocker_pipe));
    if (row->blocker_seq != ROW_NO_BLOCKER)
        put_key_number(output, ",\"for_seq\":", row->blocker_seq);
    if (row->blocker_core != ROW_NO_BLOCKER)
        put_key_number(output, ",\"for_core\":", row->blocker_core);
}

/* ---- file ---- */

/* No '[' may stand before the events: a reader looks for the keys up to the first one. */
void chrome_begin(struct output *output, uint32_t core)
{
    output_text(output, "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\","
                        "\"traceEvents\":[\n{\"ph\":\"M\"");
    put_key_number(output, ",\"pid\":", PROCESS_FIRST + core);
    output_text(output, ",\"name\":\"process_labels\",\"args\":{\"labels\":\"cubesim\"}}");
}

void chrome_end(struct output *output, const struct stored_run *run, const char *timebase)
{
    output_text(output, "\n],\n\"otherData\":{");
    put_key_number(output, "\"run_id\":", (uint64_t)run->run_id);
    put_key_text(output, ",\"product\":", run->product);
    put_key_text(output, ",\"soc\":", run->soc);
    put_key_number(output, ",\"clock_khz\":", (uint64_t)(run->clock_mhz * 1000.0 + 0.5));
    put_key_number(output, ",\"cores\":", run->cores);
    put_key_number(output, ",\"cycles\":", run->cycles);
    put_key_text(output, ",\"problem\":", run->problem);
    put_key_text(output, ",\"tiling\":", run->tiling);
    put_key_text(output, ",\"timebase\":", timebase);
    output_text(output, "}}\n");
}

void chrome_name_core(struct output *output, uint32_t core)
{
    put_head(output, "M", core);
    output_text(output, ",\"name\":\"process_name\",\"args\":{\"name\":\"core");
    output_number(output, core);
    output_text(output, ".cubecore0\"}}");
    put_head(output, "M", core);
    put_key_number(output, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":", core);
    output_text(output, "}}");
}

void chrome_name_track(struct output *output, struct chrome_track track)
{
    put_track_head(output, "M", track);
    output_text(output, ",\"name\":\"thread_name\",\"args\":{\"name\":\"");
    output_text(output, pipe_word(track.pipe));
    output_text(output, track.is_flags ? " flags\"}}" : "\"}}");
    put_track_head(output, "M", track);
    put_key_number(output, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":",
                   2 * pipe_rows[track.pipe].place + (track.is_flags ? 1 : 0));
    output_text(output, "}}");
}

/* ---- events ---- */

void chrome_work(struct output *output, const struct chrome_span *span,
                 const struct stored_row *row)
{
    put_slice(output, span, pipe_word(span->track.pipe), pipe_rows[span->track.pipe].colour);
    put_key_text(output, ",\"name\":", row->opcode);
    put_key_number(output, ",\"args\":{\"cyc\":", row->start);
    put_key_number(output, ",\"dcyc\":", row->end - row->start);
    put_key_number(output, ",\"done\":", row->done);
    put_key_number(output, ",\"seq\":", row->seq);
    if (row->link > 0)
        put_key_number(output, ",\"link\":", row->link);
    if (row->wait > 0) {
        put_key_number(output, ",\"wait\":", row->wait);
        put_key_text(output, ",\"cause\":", cause_word(row->cause));
        put_blocker(output, row);
    }
    if (row->bytes > 0)
        put_key_number(output, ",\"bytes\":", row->bytes);
    if (row->macs > 0)
        put_key_number(output, ",\"macs\":", row->macs);
    if (row->slack != UINT64_MAX)
        put_key_number(output, ",\"slack\":", row->slack);
    put_key_text(output, ",\"detail\":", row->operands);
    output_text(output, "}}");
}

void chrome_wait(struct output *output, const struct chrome_span *span,
                 const struct stored_row *row)
{
    bool for_ever = row->seq == ROW_NO_BLOCKER;
    put_slice(output, span, "wait", "yellow");
    output_text(output, ",\"name\":\"wait ");
    output_text(output, lane_reason_word(lane_reason(row->cause, row->blocker_pipe)));
    output_text(output, for_ever ? " for ever\"" : "\"");
    tick ready = row->busy > 0 ? row->start : row->end;
    put_key_number(output, ",\"args\":{\"cyc\":", ready - row->wait);
    put_key_number(output, ",\"dcyc\":", row->wait);
    put_key_text(output, ",\"cause\":", cause_word(row->cause));
    put_blocker(output, row);
    if (!for_ever) {
        put_key_number(output, ",\"seq\":", row->seq);
        put_key_text(output, ",\"before\":", row->opcode);
        put_key_text(output, ",\"detail\":", row->operands);
    }
    output_text(output, "}}");
}

void chrome_flag(struct output *output, const struct chrome_span *span,
                 const struct chrome_mark *mark)
{
    bool sets = strcmp(mark->opcode, "set_flag") == 0;
    put_slice(output, span, "flag", sets ? "black" : "yellow");
    put_key_text(output, ",\"name\":", mark->opcode);
    put_key_number(output, ",\"args\":{\"cyc\":", mark->at);
    put_key_number(output, ",\"dcyc\":0,\"seq\":", mark->seq);
    put_key_text(output, ",\"detail\":", mark->operands);
    output_text(output, "}}");
}

void chrome_flow(struct output *output, const struct chrome_span *span, bool is_start, uint32_t key,
                 uint64_t number)
{
    put_track_head(output, is_start ? "s" : "t", span->track);
    put_ts(output, ",\"ts\":", span->start_ns);
    output_text(output, ",\"name\":\"flow\",\"cat\":\"");
    output_text(output, pipe_word(flag_key_source(key)));
    output_text(output, "To");
    output_text(output, pipe_word(flag_key_target(key)));
    /* Readers keep ids as whole numbers of 53 bits. */
    put_key_number(output, "\",\"id\":", (number * FLAG_KEYS + key) * CORES_MAX + span->track.core);
    output_text(output, "}");
}

void chrome_count(struct output *output, const struct chrome_counter *counter, uint64_t at_ns,
                  uint64_t thousandths)
{
    put_head(output, "C", counter->core);
    put_ts(output, ",\"ts\":", at_ns);
    put_key_text(output, ",\"name\":", counter->name);
    put_key_text(output, ",\"args\":{", counter->unit);
    output_text(output, ":");
    if (thousandths % 1000 == 0)
        output_number(output, thousandths / 1000);
    else
        output_thousandths(output, thousandths);
    output_text(output, "}}");
}
