# SPDX-License-Identifier: Apache-2.0
# weir explore under mpirun: the same bytes from any number of processes, and never an answer without the part of one that died.
command -v mpirun >/dev/null || skip "there is no mpirun (Debian: openmpi-bin)"
mpirun --version | grep -q 'Open MPI' || skip "mpirun is not that of Open MPI"
[ -e "$(dirname "$weir_program")/weir-mpi.so" ] || skip "weir was built without MPI"
# Root and few cores are fine here; memory is shared without rights that containers do not have. MPI keeps some to the end.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none # the same for Open MPI 5
export ASAN_OPTIONS=detect_leaks=0
mpirun -n 2 true >/dev/null 2>&1 || skip "mpirun does not start processes here"
ultrasound=$here/../../examples/published/multi-ai-ultrasound.yaml

ranks() { # ranks N ARGUMENT...
    local n=$1
    shift
    timeout -k 10 1200 mpirun -n "$n" "$weir_program" "$@"
}

cat >chain.yaml <<'END'
unit: ms
operators: {a: [0, 8], b: [0, 9], c: [1, 3]}
queues: [a -> b, b -> c]
deadlines: [{from: a, to: c, within: 20}]
END

alike() { # alike STATUS ARGUMENT...: 1, 2 and 4 processes print and write what one program does
    local status=$1 n
    shift
    rm -f out.*
    expect "$status" weir explore "$@"
    mkdir -p plain && rm -f plain/* && mv stdout plain/ && for file in out.*; do [ -e "$file" ] && mv "$file" plain/; done
    for n in 1 2 4; do
        expect "$status" ranks $n explore "$@"
        cmp stdout plain/stdout || complain "$n processes print something else: $*"
        for file in plain/out.*; do
            [ ! -e "$file" ] || cmp "$file" "${file#plain/}" || complain "$n processes write something else: $*"
        done
    done
}
alike 0 "$ultrasound" --sweep 'holoviz.worst=100:400:1' --sweep 'replayer.worst=1:100:3' --json
alike 0 "$ultrasound" --sweep 'holoviz.worst=100:400:30' --csv out.csv --svg out.svg
alike 1 chain.yaml --sweep 'a.time=8:9:1'
alike 0 "$ultrasound" --sensitivity --json
alike 0 "$ultrasound" --sensitivity --csv out.csv --threads 3
alike 0 "$ultrasound" --partition-sms 100 --profile "$here/explore/ultrasound-sms.csv" --json -o out.yaml
alike 0 "$ultrasound" --size-queues --within 7ms --period 1100us --json -o out.yaml
alike 2 "$ultrasound" --sweep 'nobody.time=1:2:1'
alike 3 nowhere.yaml --sensitivity
# A search that one process does: the others wait, and only one prints.
alike 0 "$ultrasound" --scale
alike 0 "$ultrasound" --what-if 'holoviz.time=[2us,9us]' --json
expect 0 ranks 3 explore "$ultrasound" --assign-period
has stderr "done by one process"
equal "answers" "$(grep -c 'the shortest period' stdout)" 1

# Standard input, which mpirun gives to one of them.
weir explore - --sensitivity --json <chain.yaml >plain/stdout
ranks 3 explore - --sensitivity --json <chain.yaml >stdout 2>stderr
cmp stdout plain/stdout || complain "standard input is read by one process only"

# Processes that do not look at the same are found out.
sed 's/9/7/' chain.yaml >other.yaml
cat >differs <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && model=chain.yaml || model=other.yaml
exec "$1" explore $model --sweep a.worst=1:9:1
END
chmod +x differs
expect 3 timeout -k 10 1200 mpirun -n 2 ./differs "$weir_program"
has stderr "other files or arguments"
equal "an answer to two questions" "$(wc -c <stdout)" 0

# A search that takes long enough for what follows.
long=(explore "$models/wlan.yaml" --sweep VIT.worst=1us:1.3us:1ns --sweep FFT.worst=3us:4us:1ns --json)
started() { # started: waits until three processes search, prints their ids
    local pids
    while kill -0 $! 2>/dev/null; do # mpirun, or what limits its time
        pids=$(pgrep -f "^$weir_program explore $models/wlan.yaml --sweep VIT" | tr '\n' ' ')
        # shellcheck disable=SC2086
        [ "$(wc -w <<<"$pids")" = 3 ] && listens USR1 $pids && echo "$pids" && return
        sleep 0.05
    done
}
for victim in 1 2 3; do # rank 0 among them
    ranks 3 "${long[@]}" >stdout 2>stderr &
    kill -KILL "$(started | cut -d ' ' -f $victim)" || complain "there is nobody to kill"
    wait $! && complain "one process was killed, and the status is 0"
    equal "an answer without the part of one" "$(wc -c <stdout)" 0
done

# ... but with --resume only what the processes had in hand is lost: whoever is killed, however often, the end is the same.
sweep=(explore "$models/wlan.yaml" --sweep VIT.worst=1us:1.3us:1ns --sweep FFT.worst=3us:4us:10ns --json)
weir "${sweep[@]}" >plain/stdout
for try in 1 2 3 4; do
    ranks 3 "${sweep[@]}" --resume found >stdout 2>stderr &
    pids=$(started)
    sleep "0.$((RANDOM % 5))"
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -KILL "$(shuf -n 1 -e $pids)" 2>/dev/null # it may have been quicker
    wait $!
    now=$(stat -c %s found)
    [ "$now" -ge "${before:-0}" ] || complain "what was found is lost"
    before=$now
done
expect 0 ranks 3 "${sweep[@]}" --resume found
cmp stdout plain/stdout || complain "processes that were killed change the answer"
expect 0 weir "${sweep[@]}" --resume found # by one process alone as well
cmp stdout plain/stdout || complain "one process finds something else in what several found"
expect 3 ranks 3 "${long[@]}" --resume found
has stderr "this file is of another search"

# SIGUSR1, which mpirun hands on, ends the search with what was found.
ranks 3 "${long[@]}" >stdout 2>stderr &
job=$!
started >/dev/null
pkill -USR1 -x -P "$(pgrep -P $job -x timeout)" 'mpirun|prterun' || complain "there is no mpirun" # Open MPI 5 calls it prterun
wait $job || complain "status $? after SIGUSR1"
equal interrupted "$(json stdout interrupted)" true

# Without what MPI needs there is an error, not several answers.
mkdir alone && cp "$weir_program" alone/weir
expect 2 timeout -k 10 1200 mpirun -n 2 alone/weir explore chain.yaml --sensitivity
has stderr "weir-mpi.so is missing"
equal "complaints" "$(grep -c 'weir-mpi.so is missing' stderr)" 1
equal "answers" "$(wc -c <stdout)" 0
