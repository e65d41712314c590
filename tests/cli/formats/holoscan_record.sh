# SPDX-License-Identifier: Apache-2.0
# The recorder for Holoscan, with a stand-in for the SDK: what it leaves in a folder is a model.
tool=$here/../../tools/holoscan/weir-holoscan
python=$(command -v /usr/bin/python3 python3 | head -n 1)
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "$python is older than 3.9"
export PYTHONPYCACHEPREFIX=$PWD/cache PYTHONPATH=$here/formats/record
record() { # record FOLDER ARGUMENT...: of the application
    local folder=$1
    shift
    "$python" "$tool" record -o "$folder" -- "$python" "$@"
}

# ---- an application as it is: ports, conditions, a batch that only the run shows, a period, the default scheduler, times
expect 0 record plain "$here/formats/record/app.py"
has stdout "the application has run"
lacks stderr "sitecustomize"
has stderr "recorded in plain: weir convert --from plain -o app.yaml"
equal "files" "$(find plain -type f | sort | tr '\n' ' ')" "plain/descriptions.yaml plain/flow.log plain/jobs.json plain/portmap.yaml plain/scheduler.yaml "
expect 0 weir convert --from plain -o app.yaml
equal "operators" "$(sed -n 's/^  \([a-z.]*\): {time.*/\1/p' app.yaml | tr '\n' ' ')" "camera infer view batch camera.broadcast infer.broadcast "
has app.yaml "{from: infer.broadcast, to: batch, consume: 4, capacity: 4}"
has app.yaml "{from: infer.broadcast, to: view, capacity: 2, optional: true}"
has app.yaml "camera: {time: [2, 2.25]"
has app.yaml "scheduler: greedy"
has app.yaml "{operator: camera, period: 40, arrivals: skip}"
lacks stderr "which scheduler"
lacks stderr "period is not described"
lacks stderr "Asynchronous"

# ---- a scheduler with its exact polling period; an application with a name, which logs have before those of operators
expect 0 record named "$here/formats/record/app.py" named polled
has named/flow.log "(Demo App.camera,"
expect 0 weir convert --from named -o named.yaml
has named.yaml "platform: {scheduler: multi-thread, workers: 3, polling: 0.5}"
has named.yaml "{operator: camera, period: 40, arrivals: skip}"
lacks named.yaml "Demo App"
equal "order" "$(sed -n 's/^  \([a-z.]*\): {time.*/\1/p' named.yaml | tr '\n' ' ')" "camera infer view batch camera.broadcast infer.broadcast "

# ---- an application that has its own log keeps it; only the first run is recorded
expect 0 record tracked "$here/formats/record/app.py" tracked
[ -s own.log ] || complain "the application's own log is gone"
cmp own.log tracked/flow-1.log
[ ! -e tracked/flow.log ] || complain "there are two logs"
expect 0 weir convert --from tracked -o tracked.yaml
expect 0 record twice "$here/formats/record/app.py" twice
has stderr "only the first run is recorded"
cmp twice/flow.log plain/flow.log

# ---- the application's status, and an application that runs although not everything can be recorded
expect 5 record status "$here/formats/record/app.py" status
expect 0 record fails "$here/formats/record/app.py" fails
has stdout "the application has run"
has stderr "weir-holoscan: no port map: TypeError"
expect 0 weir convert --from fails -o fails.yaml
expect 0 record old "$here/formats/record/app.py" old
has stderr "weir-holoscan: no port map: AttributeError"
equal "files" "$(find old -type f | sort | tr '\n' ' ')" "old/descriptions.yaml old/flow.log old/jobs.json old/scheduler.yaml "
expect 0 weir convert --from old -o old.yaml
has old.yaml "{operator: camera, period: 40, arrivals: skip}"
expect 127 "$python" "$tool" record -o none -- ./no-such-application
expect 0 record nothing -c 'print("no Holoscan")'
has stderr "nothing was recorded"
expect 2 record plain "$here/formats/record/app.py"
has stderr "plain is not empty"
expect 143 record killed -c 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)'

# ---- a sitecustomize module that was there before still has its turn
mkdir site
echo 'print("customized")' >site/sitecustomize.py
PYTHONPATH=$here/formats/record:$PWD/site expect 0 record site-run "$here/formats/record/app.py"
has stdout "customized"
[ -e site-run/portmap.yaml ] || complain "nothing is recorded beside a sitecustomize module"

# ---- fragments: each has a folder
expect 0 record distributed "$here/formats/record/fragments.py"
equal "folders" "$(cd distributed && find . -name '*.yaml' | sort | tr '\n' ' ')" "./left/descriptions.yaml ./left/portmap.yaml ./left/scheduler.yaml ./portmap.yaml ./right/descriptions.yaml ./right/portmap.yaml ./right/scheduler.yaml "
expect 0 weir convert --from distributed -o distributed.yaml
for queue in "left.camera, to: left.clean" "left.clean, to: right.infer" "right.infer, to: right.view"; do
    has distributed.yaml "{from: $queue"
done
has distributed.yaml "right.infer: {time: [9, 9.25]"

# ---- folders that are not what they should be
mkdir empty
expect 3 weir convert --from empty -o none.yaml
has stderr "empty: this folder is empty"
cp -r plain more
echo "as it was on Monday" >more/notes.txt
: >more/nothing.log
mkdir more/inner
expect 0 weir convert --from more/ -o more.yaml
has stderr "more/notes.txt: note: this is not a file of a Holoscan application that weir knows; it is left out"
has stderr "more/nothing.log: note: this file is empty; it is left out"
sed 's/ more\// plain\//g' more.yaml | cmp - app.yaml
mkdir unknown
echo "hello" >unknown/notes.txt
expect 3 weir convert --from unknown -o none.yaml
has stderr "weir recognises no file of a Holoscan application in this folder"
mkdir many
for i in $(seq 65); do echo "$i" >"many/$i.txt"; done
expect 3 weir convert --from many -o none.yaml
has stderr "a model can be made of at most 64 files"

# ---- C++: the header against a stand-in with the same interface
compiler=$(command -v c++ g++ clang++ | head -n 1)
[ -n "$compiler" ] || skip "there is no C++ compiler"
expect 0 "$compiler" -std=c++17 -Wall -Wextra -Werror -I"$here/formats/record/cpp" -I"$here/../../tools/holoscan" "$here/formats/record/app.cpp" -o app
expect 7 ./app
[ ! -e flow.log ] || complain "the application is recorded although nobody asked"
expect 7 "$python" "$tool" record -o native -- ./app
has stdout "the application has run"
expect 0 weir convert --from native -o native.yaml
has native.yaml "{from: camera, to: infer, capacity: 1}"
has native.yaml "{operator: camera, period: 40, arrivals: skip}"
has native.yaml "platform: {scheduler: event-based, workers: 2}"
POLLING=1 expect 7 "$python" "$tool" record -o polling -- ./app
expect 0 weir convert --from polling -o polling.yaml
has polling.yaml "platform: {scheduler: multi-thread, workers: 3, polling: 0.5}"
TEXT=1 TWICE=1 expect 7 "$python" "$tool" record -o text -- ./app
cmp text/flow.log native/flow.log
expect 0 weir convert --from text -o text.yaml
has text.yaml "platform: {scheduler: multi-thread, workers: 3, polling: 1}"
