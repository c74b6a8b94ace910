#!/usr/bin/env python3
"""Checks the house rules that no compiler checks, and names the place and the remedy.

    scripts/tidy.py [ROOT]        checks a source tree; exit 1 when a rule is broken
    scripts/tidy.py --self-test   plants a violation of every rule and checks that it is found

Which layer may include which is read from the cubesim_layer() calls of CMakeLists.txt.
"""
import pathlib
import re
import sys
import tempfile

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600
COLUMNS_MAX = 100

C_SUFFIXES = (".c", ".h")
CODE_SUFFIXES = C_SUFFIXES + (".py", ".cmake", "")
TEXT_SUFFIXES = CODE_SUFFIXES + (".def", ".md", ".yaml", ".json", ".in", ".scd", ".bash", ".txt")
SKIPPED_FOLDERS = ("build", "data", "samples")

# Headers of other projects and the folders that hide them.
FOREIGN_HEADERS = {
    "sqlite3.h": ("traces", "tests"),
    "ev.h": ("cli",),
    "cmocka.h": ("tests",),
    "yaml.h": ("engine/base",),
    "xxhash.h": ("traces",),
    "zlib.h": ("traces", "tests"),
    "onnx.pb-c.h": ("model",),
}

# (words, folders or files where they may stand, what to use instead)
BANS = [
    ("malloc calloc realloc free aligned_alloc posix_memalign strdup strndup",
     ("engine/base/arena.c", "tests", "bench"), "use arena_take, array_grow or array_release"),
    ("printf vprintf puts putchar perror stdout stderr",
     ("cli", "tests", "bench"), "only cli/ prints: return a status and diag_add"),
    ("exit _exit quick_exit abort", ("cli", "tests", "bench"),
     "return a status; assert what cannot be"),
    ("strcpy strcat sprintf vsprintf gets", ("tests",), "use snprintf or memcpy with a size"),
    ("strncpy strncat", (), "use snprintf, which always ends the text"),
    ("atoi atol atoll atof", (), "use strtoll or bind_integer, which report errors"),
    ("strtok rand srand", (), "hidden state: use a scanner or a seeded generator of your own"),
    ("float double", ("isa", "model", "traces", "cli", "tests", "bench"),
     "no floating point in engine/: use integers or quantity.h"),
]

# Split, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def under(path, folders):
    return any(path == f or path.startswith(f + "/") for f in folders)


def blank(match):
    """Spaces in place of a comment or literal, so that lines and columns stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments_and_texts(text):
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Layers:
    """The layers of CMakeLists.txt: folder of each, and what each may include."""

    def __init__(self, cmake_text):
        self.folder = {}
        self.uses = {}
        text = re.sub(r"#[^\n]*", "", cmake_text)
        for call in re.findall(r"^cubesim_layer\(([^)]*)\)", text, flags=re.M):
            words = call.split()
            part = {"FOLDER": [], "USES": [], "LINKS": []}
            key = None
            for word in words[1:]:
                if word in part:
                    key = word
                else:
                    part[key].append(word)
            name = words[0]
            self.folder[name] = part["FOLDER"][0] if part["FOLDER"] else name
            self.uses[name] = part["USES"]

    def of(self, path):
        """The layer of a file: the one with the longest folder that holds it, or None."""
        names = [n for n, f in self.folder.items() if path.startswith(f + "/")]
        return max(names, key=lambda n: len(self.folder[n])) if names else None

    def reach(self, name):
        found = {name}
        for used in self.uses[name]:
            found |= self.reach(used)
        return found


def check_includes(path, text, layers):
    mine = layers.of(path)
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', text, flags=re.M):
        bracket, name = match.groups()
        line = line_of(text, match.start(1))
        if name in FOREIGN_HEADERS and not under(path, FOREIGN_HEADERS[name]):
            yield line, f"{name} belongs to {' and '.join(FOREIGN_HEADERS[name])}"
        if bracket == "<":
            continue
        if "/" not in name or name.startswith("."):
            yield line, f'"{name}" is not rooted; write "folder/{name.split("/")[-1]}"'
            continue
        theirs = layers.of(name)
        if mine and theirs is None:
            yield line, f"{mine} includes {name}, which belongs to no layer"
        elif mine and theirs not in layers.reach(mine):
            allowed = ", ".join(sorted(layers.reach(mine)))
            yield line, f"{mine} includes {name} of layer {theirs}; allowed: {allowed}"
        elif mine is None and theirs == "cli" and not under(path, ("tests",)):
            yield line, f"{name}: nothing but cli includes cli"


def check_bans(path, code):
    for words, places, remedy in BANS:
        if under(path, places):
            continue
        for match in re.finditer(r"\b(%s)\b" % "|".join(words.split()), code):
            # A member of the same name, or the word in an attribute, is another thing.
            if code[:match.start()].rstrip().endswith((".", "->", "format(")):
                continue
            yield line_of(code, match.start()), f"{match.group(1)} is banned here: {remedy}"


def functions(code):
    """(first line, last line, name) of every function body at file level."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.M)
    depth = 0
    head = 0
    start = None
    for match in re.finditer(r"[{};]", code):
        sign, at = match.group(0), match.start()
        if sign == "{":
            signature = code[head:at]
            if depth == 0 and signature.rstrip().endswith(")") and "=" not in signature:
                start = head + len(signature) - len(signature.lstrip())
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0 and start is not None:
                name = re.search(r"(\w+)\s*\(", code[start:at])
                yield line_of(code, start), line_of(code, at), name.group(1)
                start = None
        if depth == 0:
            head = at + 1


def check_sizes(text, code, suffix):
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        yield FILE_LINES_MAX + 1, f"{lines} lines; at most {FILE_LINES_MAX}: one noun a file"
    if suffix in C_SUFFIXES:
        for first, last, name in functions(code):
            if last - first + 1 > FUNCTION_LINES_MAX:
                yield first, (f"{name} has {last - first + 1} lines; "
                              f"at most {FUNCTION_LINES_MAX}")


def check_lines(text, suffix):
    for number, line in enumerate(text.split("\n"), 1):
        if suffix in CODE_SUFFIXES and len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns; at most {COLUMNS_MAX}"
        if line != line.rstrip() and suffix != ".md":
            yield number, "blanks at the end of the line"
        if "\t" in line and suffix not in (".scd",):
            yield number, "a tab; use spaces"
        if UNFINISHED.search(line):
            yield number, f"{UNFINISHED.search(line).group(1)}: finish it or leave it out"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file"


def check_guard(path, text):
    guard = "CUBESIM_" + re.sub(r"[^A-Z0-9]", "_", path.upper())
    match = re.search(r"^#ifndef (\w+)", text, flags=re.M)
    if match is None:
        yield 1, f"no include guard; expected {guard}"
    elif match.group(1) != guard:
        yield line_of(text, match.start()), f"include guard {match.group(1)}; expected {guard}"


def check_file(path, text, layers):
    suffix = pathlib.PurePosixPath(path).suffix
    code = without_comments_and_texts(text) if suffix in C_SUFFIXES else text
    yield from check_lines(text, suffix)
    if suffix in CODE_SUFFIXES:
        yield from check_sizes(text, code, suffix)
    if suffix in C_SUFFIXES:
        yield from check_includes(path, text, layers)
        yield from check_bans(path, code)
    if suffix == ".h":
        yield from check_guard(path, text)


def source_files(root):
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        folders = path.split("/")[:-1]
        hidden = any(f.startswith(".") and f != ".ci" for f in path.split("/"))
        skipped = any(f.startswith("build") or f in SKIPPED_FOLDERS or f == "__pycache__"
                      for f in folders)
        if not hidden and not skipped and file.is_file() and file.suffix in TEXT_SUFFIXES \
                and file.name != "LICENSE":
            yield file, path


def check_tree(root):
    layers = Layers((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    for file, path in source_files(root):
        text = file.read_text(encoding="utf-8")
        for line, message in check_file(path, text, layers):
            yield f"{path}:{line}: {message}"


# ---- self-test ---------------------------------------------------------------------------------

SELF_TEST_LAYERS = """
function(cubesim_layer name)
endfunction()
cubesim_layer(base FOLDER engine/base LINKS yaml)
cubesim_layer(isa USES base)
cubesim_layer(engine USES base)
cubesim_layer(model USES isa engine)
cubesim_layer(traces USES model)
cubesim_layer(cli USES traces LINKS ev::ev)
"""

LONG_FUNCTION = "int f(void)\n{\n" + "    g();\n" * 68 + "}\n"

# (file, text, "line: part of the message"); None: nothing may be found
SELF_TESTS = [
    ("engine/a.c", '#include "engine/b.h"\n#include "isa/insn.h"\n',
     "2: engine includes isa/insn.h of layer isa"),
    ("isa/a.c", '\n#include "engine/sim.h"\n', "2: isa includes engine/sim.h of layer engine"),
    ("engine/base/a.c", '#include "engine/sim.h"\n', "1: base includes engine/sim.h"),
    ("model/a.c", '#include "traces/store.h"\n', "1: model includes traces/store.h"),
    ("model/a.c", '#include "isa/insn.h"\n#include "engine/base/arena.h"\n', None),
    ("cli/a.c", '#include "isa/insn.h"\n#include "traces/store.h"\n', None),
    ("isa/a.c", '#include "insn.h"\n', '1: "insn.h" is not rooted'),
    ("model/a.c", '#include "lib/x.h"\n', "1: model includes lib/x.h, which belongs to no layer"),
    ("bench/a.c", '#include "cli/x.h"\n', "1: cli/x.h: nothing but cli includes cli"),
    ("cli/a.c", "#include <sqlite3.h>\n", "1: sqlite3.h belongs to traces and tests"),
    ("traces/a.c", "#include <sqlite3.h>\n", None),
    ("traces/a.c", "#include <ev.h>\n", "1: ev.h belongs to cli"),
    ("model/a.c", "#include <cmocka.h>\n", "1: cmocka.h belongs to tests"),
    ("model/a.c", "#include <yaml.h>\n", "1: yaml.h belongs to engine/base"),
    ("model/a.c", "#include <xxhash.h>\n", "1: xxhash.h belongs to traces"),
    ("model/a.c", "int x;\nvoid *p = malloc(1);\n", "2: malloc is banned here: use arena_take"),
    ("cli/a.c", "int x = 0 + free (p);\n", "1: free is banned here"),
    ("engine/base/arena.c", "int x = free(p);\n", None),
    ("isa/a.c", "int x = printf(y);\n", "1: printf is banned here: only cli/ prints"),
    ("isa/a.c", "int x = fprintf(stderr, y);\n", "1: stderr is banned here"),
    ("cli/a.c", "int x = printf(y);\n", None),
    ("traces/a.c", "int x = exit(1);\n", "1: exit is banned here: return a status"),
    ("traces/a.c", "int x = abort();\n", "1: abort is banned here"),
    ("cli/a.c", "int x = strcpy(a, b);\n", "1: strcpy is banned here: use snprintf"),
    ("cli/a.c", "int x = strncpy(a, b, 1);\n", "1: strncpy is banned here: use snprintf"),
    ("cli/a.c", "int x = sprintf(a, b);\n", "1: sprintf is banned here"),
    ("tests/a.c", "int x = sprintf(a, b);\n", None),
    ("cli/a.c", "int x = atoi(b);\n", "1: atoi is banned here: use strtoll"),
    ("model/a.c", "int x = rand();\n", "1: rand is banned here: hidden state"),
    ("engine/a.h", "#ifndef CUBESIM_ENGINE_A_H\n\ndouble x;\n#endif\n", "3: double is banned"),
    ("model/a.c", "double x;\n", None),
    ("model/a.c", "/* free(x), printf */\nconst char *x = \"malloc(\";\nint y = s.free;\n", None),
    ("model/a.c", "int sqlite3_free(int free_slots);\n", None),
    ("model/a.c", "void f(char *x) __attribute__((format(printf, 1, 2)));\n", None),
    ("model/a.c", "\n" + LONG_FUNCTION, "2: f has 71 lines; at most 70"),
    ("model/a.c", LONG_FUNCTION.replace("    g();\n", "", 1), None),
    ("model/a.c", "int t[] = {\n" + "    0,\n" * 99 + "};\n", None),
    ("model/a.c", "#define F(x) \\\n    { x; }\n" + LONG_FUNCTION, "3: f has 71 lines"),
    ("model/a.c", "int x;\n" * 601, "601: 601 lines; at most 600"),
    ("model/a.c", "int x;\n" * 600, None),
    ("model/a.c", "\nint " + "x" * 96 + ";\n", "2: 101 columns; at most 100"),
    ("model/a.c", "int " + "\u00e9" * 95 + ";\n", None),
    ("model/a.def", "x" * 200 + "\n", None),
    ("model/a.c", "int x; /* TO" "DO later */\n", "1: TO" "DO: finish it"),
    ("README.md", "a\nFIX" "ME\n", "2: FIX" "ME: finish it"),
    ("scripts/a", "# XX" "X\n", "1: XX" "X: finish it"),
    ("model/a.c", "int x; /* HA" "CK */\n", "1: HA" "CK: finish it"),
    ("model/a.c", "int x; \n", "1: blanks at the end"),
    ("model/a.c", "\tint x;\n", "1: a tab"),
    ("model/a.c", "int x;", "1: no newline at the end"),
    ("model/a.h", "int x;\n", "1: no include guard; expected CUBESIM_MODEL_A_H"),
    ("model/a.h", "/* */\n#ifndef A_H\n#endif\n", "2: include guard A_H; expected CUBESIM_MODEL_A"),
    ("build/a.c", "\tint x;\n", None),
    ("tests/data/a.c", "\tint x;\n", None),
]


def self_test():
    failures = 0
    for path, text, expected in SELF_TESTS:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(SELF_TEST_LAYERS)
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            found = list(check_tree(root))
        if expected is None:
            good = not found
        else:
            good = len(found) == 1 and found[0].startswith(f"{path}:{expected}")
        if not good:
            failures += 1
            print(f"self-test: {path} with {text[:40]!r}: expected {expected}, found {found}")
    print(f"self-test: {len(SELF_TESTS)} cases, {failures} failed")
    return failures == 0


def main(arguments):
    if arguments == ["--self-test"]:
        return 0 if self_test() else 1
    here = pathlib.Path(__file__).resolve().parent.parent
    problems = list(check_tree(pathlib.Path(arguments[0]) if arguments else here))
    for problem in problems:
        print(problem)
    print(f"tidy: {len(problems)} problems" if problems else "tidy: all house rules hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
