# SPDX-License-Identifier: Apache-2.0
# weir serve when many ask at once, for much, or slowly: everyone is answered, and no one for ever.
mkdir folder
cp "$models/camera.yaml" folder/camera.yaml
. "$here/serve/serving"
start_first

# Connections that say nothing, or little, do not keep others out.
for _ in $(seq 40); do
    bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "POST /api/report HTTP/1.1\r\nContent-Le" >&3 && exec sleep 60' - "$port" \
        >/dev/null 2>&1 &
    idle+=($!)
done
says 200 GET /api/models
# Models that take long are given up, and meanwhile others are answered.
hard_model >hard.yaml
request_about hard.yaml >hardest
hard_model 16 >hard.yaml
request_about hard.yaml >long
for i in 1 2 3 4 5 6; do
    bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && cat "$2" >&3 && exec cat <&3' - "$port" "$([ $i = 1 ] && echo hardest || echo long)" \
        >"long$i" 2>/dev/null &
    busy+=($!)
done
sleep 0.5
says 200 GET '/api/model?name=camera.yaml'
kill -0 "${busy[@]}" 2>/dev/null || complain "a file is read only after models have been analysed"
# Whoever leaves has no need of an answer.
kill "${busy[4]}" "${busy[5]}" 2>/dev/null
wait "${busy[@]}" 2>/dev/null
for i in 1 2 3 4; do
    head -n 1 "long$i" | grep -qE '^HTTP/1.1 (200|503) ' || complain "a long analysis is answered with '$(head -n 1 "long$i")'"
done
cp "$models/camera.yaml" body
says 200 POST /api/report
kill "${idle[@]}" 2>/dev/null
wait "${idle[@]}" 2>/dev/null


# A request a byte at a time has only so long; so has an answer that is not taken.
bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" || exit
    printf "POST /api/report HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000\r\n\r\n" "$1" >&3
    for _ in $(seq 90); do printf "#" >&3 || exit 7; sleep 0.5; done' - "$port" >/dev/null 2>&1 &&
    complain "a request a byte at a time is never cut off"
says 200 GET /api/models
finish TERM
