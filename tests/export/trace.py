"""A strict reader of Chrome traces: no more lenient than any viewer."""

import json
from collections import defaultdict

# A viewer looks for these texts up to the first bracket, to know the kind of file.
HEAD_WORDS = ('"profilingType"', '"op"', '"schemaVersion"')


class TraceError(Exception):
    pass


def require(holds, message):
    if not holds:
        raise TraceError(message)


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    require(len(keys) == len(set(keys)), f"a key stands twice: {keys}")
    return dict(pairs)


def refuse_constant(word):
    raise TraceError(f"found {word}; expected a number")


class Microseconds(str):
    """A number as it is written."""


def nanoseconds(number):
    """Whole nanoseconds of a decimal in microseconds; other decimals are an error."""
    require(isinstance(number, Microseconds), f"found {number!r}; expected a decimal")
    whole, _, places = number.partition(".")
    require(whole.isdigit() and places.isdigit() and len(places) == 3,
            f"found {number}; expected microseconds with three places")
    return int(whole) * 1000 + int(places)


class Trace:
    """The events of a file, checked one by one."""

    def __init__(self, text):
        head = text[:text.index("[")]
        for word in HEAD_WORDS:
            require(word in head, f"{word} does not stand before the events")
        document = json.loads(text, object_pairs_hook=no_twice, parse_constant=refuse_constant,
                              parse_float=Microseconds)
        self.events = document["traceEvents"]
        self.other = document["otherData"]
        self.slices = []  # (pid, tid, start_ns, end_ns, event)
        self.counters = defaultdict(list)  # (pid, name) -> [(ns, value)]
        self.threads = {}  # (pid, tid) -> name
        self.processes = {}  # pid -> name
        self.flows = defaultdict(list)  # (cat, id) -> [(ns, phase, pid, tid)]
        self.sort_index = {}
        self.read()
        self.check_tracks()
        self.check_flows()

    def read(self):
        before = 0
        for event in self.events:
            phase = event["ph"]
            if phase == "M":
                self.read_name(event)
                continue
            at = nanoseconds(event["ts"])
            require(at >= before, f"{event} comes after an event at {before} ns")
            before = at
            require(event["pid"] in self.processes, f"{event} has no process")
            if phase == "X":
                length = nanoseconds(event["dur"])
                require(length > 0, f"{event} has no length")
                require((event["pid"], event["tid"]) in self.threads, f"{event} has no track")
                self.slices.append((event["pid"], event["tid"], at, at + length, event))
            elif phase in "st":
                require(event["name"] == "flow", f"{event} is no flow")
                self.flows[event["cat"], event["id"]].append(
                    (at, phase, event["pid"], event["tid"]))
                require(event["id"] < 1 << 53, "an id is too large for a double")
            elif phase == "C":
                (value,) = event["args"].values()
                require(float(value) >= 0, f"{event} is negative")
                self.counters[event["pid"], event["name"]].append((at, float(value)))
            else:
                raise TraceError(f"unknown phase in {event}")

    def read_name(self, event):
        kind, arguments = event["name"], event["args"]
        if kind == "process_name":
            require(event["pid"] not in self.processes, f"{event} names a process twice")
            self.processes[event["pid"]] = arguments["name"]
        elif kind == "thread_name":
            self.threads[event["pid"], event["tid"]] = arguments["name"]
        elif kind == "thread_sort_index":
            place = event["pid"], arguments["sort_index"]
            require(place not in self.sort_index, f"{event} stands where another track stands")
            self.sort_index[place] = event["tid"]
        else:
            require(kind in ("process_sort_index", "process_labels"), f"unknown name {kind}")

    def check_tracks(self):
        ends = {}
        for pid, tid, start, end, event in self.slices:
            require(start >= ends.get((pid, tid), 0), f"{event} overlaps the slice before it")
            ends[pid, tid] = end
        for name, values in self.counters.items():
            times = [at for at, _ in values]
            require(len(times) == len(set(times)), f"counter {name} has two values at one time")

    def check_flows(self):
        starts = {(pid, tid, start) for pid, tid, start, _, _ in self.slices}
        for key, ends in self.flows.items():
            require([phase for _, phase, _, _ in ends] == ["s", "t"],
                    f"flow {key} is not paired: {ends}")
            for at, _, pid, tid in ends:
                require((pid, tid, at) in starts, f"flow {key} begins or ends on no slice")

    def core(self, pid):
        return int(self.processes[pid][len("core"):].split(".")[0])

    def work(self):
        return [s for s in self.slices if s[4]["cat"] not in ("wait", "flag")]

    def of_category(self, category):
        return [s for s in self.slices if s[4]["cat"] == category]
