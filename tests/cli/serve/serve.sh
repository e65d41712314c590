# SPDX-License-Identifier: Apache-2.0
# weir serve: who is answered and what, paths that lead elsewhere, requests without end, models that take too long, and its end.

mkdir folder outside folder/inside.yaml
cp "$models/camera.yaml" folder/camera.yaml
echo 'secret' >outside/secret.yaml
ln -s ../outside/secret.yaml folder/link.yaml
ln -s ../outside folder/out
ln -s nowhere.yaml folder/dangling.yaml
ln outside/secret.yaml folder/hard.yaml
mkfifo folder/pipe.yaml
echo 'hidden' >folder/.hidden.yaml
echo 'text' >folder/notes.txt
head -c 1048576 /dev/zero | tr '\0' '#' >folder/largest.yaml
head -c 1048577 /dev/zero | tr '\0' '#' >folder/larger.yaml

. "$here/serve/serving"
start_first

# ---- what is there ----

says 200 GET /
has head 'Content-Type: text/html; charset=utf-8'
has reply '<!doctype html>'
has reply 'data-write="no"'
for header in 'X-Content-Type-Options: nosniff' 'X-Frame-Options: DENY' "default-src 'none'" "frame-ancestors 'none'" \
    'Referrer-Policy: no-referrer' 'Cross-Origin-Resource-Policy: same-origin' 'Cache-Control: no-store'; do
    has head "$header"
done
lacks head 'Access-Control'
says 200 HEAD /
equal "body of HEAD" "$(cat reply)" ""
says 200 GET /api/models
equal "the list" "$(tr -d '\n' <reply)" '["camera.yaml", "hard.yaml", "larger.yaml", "largest.yaml"]'
says 200 GET '/api/model?name=camera.yaml'
has head 'Content-Type: text/plain; charset=utf-8'
cmp -s reply "$models/camera.yaml" || complain "the model came back changed"
says 200 GET '/api/model?name=largest.yaml'
equal "size of the largest" "$(wc -c <reply)" 1048576
for path in /favicon.ico /api /api/ /api/model/ /api/models/x //api/models /./ '/%2e%2e/' '/../../etc/passwd' 'http://evil/'; do
    says 404 GET "$path"
done
for method in POST PUT DELETE OPTIONS PATCH TRACE BREW; do
    says 405 $method /
    has head 'Allow: GET, HEAD'
done
says 405 DELETE '/api/model?name=camera.yaml'
says 405 GET /api/report
has head 'Allow: POST'

# ---- names that lead elsewhere ----

for name in '' . .. ../outside/secret.yaml %2e%2e/outside/secret.yaml ..%2foutside%2fsecret.yaml %2e%2e%2foutside%2fsecret.yaml \
    "$folder/outside/secret.yaml" /etc/passwd %2fetc%2fpasswd out/secret.yaml out%2fsecret.yaml link.yaml dangling.yaml inside.yaml \
    pipe.yaml .hidden.yaml notes.txt camera.yaml%00.txt camera.yaml%00 ./camera.yaml camera.yaml/ camera.yaml%2f folder/camera.yaml \
    'camera.yaml%0a' 'CAMERA.YAML' %63amera.yam larger.yaml nothing.yaml "$(printf 'a%.0s' $(seq 300)).yaml" %ff.yaml '*.yaml' '~'; do
    says 404 GET "/api/model?name=$name"
    lacks reply secret
done
says 404 GET /api/model
says 404 GET '/api/model?nam=camera.yaml'
says 200 GET '/api/model?name=%63amera.yaml&name=other&x=y' # which is camera.yaml
ls -a folder >before
echo changed >body
says 403 PUT '/api/model?name=camera.yaml'
echo changed >body
says 403 PUT '/api/model?name=new.yaml'
ls -a folder >after
cmp -s before after || complain "something was written without --write"
cmp -s folder/camera.yaml "$models/camera.yaml" || complain "a model was changed without --write"

# ---- who asks ----

for host in evil "evil:$port" "127.0.0.1.evil:$port" "localhost.:$port" 127.0.0.1 localhost "127.0.0.1:1" "127.0.0.1:$port.evil" \
    "[::1]:$port" "user@127.0.0.1:$port" "127.1:$port" "0.0.0.0:$port" "2130706433:$port" ''; do
    says 403 GET / "Host: $host"
done
for host in "127.0.0.1:$port" "localhost:$port" "LocalHost:$port"; do
    says 200 GET / "Host: $host"
done
printf 'GET / HTTP/1.0\r\n\r\n' >asked
raw asked
equal "HTTP/1.0 without a host" "$status" 403
printf 'GET /api/models HTTP/1.1\r\nConnection: close\r\n\r\n' >asked
raw asked
[[ $status == 40[03] ]] || complain "HTTP/1.1 without a host is answered with '$status'"
for origin in http://evil "http://evil:$port" "https://127.0.0.1:$port" "http://127.0.0.1" "http://127.0.0.1:1" null '' \
    "http://127.0.0.1:$port.evil" "http://127.0.0.1:$port/" "HTTP://evil"; do
    cp "$models/camera.yaml" body
    says 403 POST /api/analyze "Origin: $origin"
done
for origin in "http://127.0.0.1:$port" "http://localhost:$port"; do
    cp "$models/camera.yaml" body
    says 200 POST /api/analyze "Origin: $origin"
done
for site in cross-site same-site strange; do
    says 403 GET /api/models "Sec-Fetch-Site: $site"
    says 200 GET / "Sec-Fetch-Site: $site" # a link leads here
done
says 200 GET /api/models 'Sec-Fetch-Site: same-origin'
says 200 GET /api/models 'Sec-Fetch-Site: none'

# ---- models ----

cp "$models/camera.yaml" body
says 200 POST '/api/analyze?name=camera.yaml'
has head 'Content-Type: application/json'
weir analyze --json "$models/camera.yaml" >expected
equal "the bound" "$(json reply latency.0.worst)" "$(json expected latency.0.worst)"
cp "$models/camera.yaml" body
says 200 POST '/api/report?name=camera.yaml'
has head 'Content-Type: text/html; charset=utf-8'
has reply 'http-equiv="Content-Security-Policy"'
has reply '</html>'
cp "$models/camera.yaml" body
says 200 POST '/api/report?name=<script>alert(1)</script>.yaml'
lacks reply '<script>alert(1)'
printf 'weir: 1\noperators:\n  a: {time: [2, 1]}\nqueues:\n  - a -> b\n' >body
says 422 POST /api/report
has head 'Content-Type: application/json'
equal "line" "$(json reply errors.0.line)" 3
[ "$(json reply errors.0.column)" -gt 0 ] || complain "a mistake without a column"
: >body
says 422 POST /api/analyze
printf '\0\377\376' >body
says 422 POST /api/report
json reply >/dev/null
yes '{[(&*!|>' | head -c 1000000 >body
says 422 POST /api/report
seq -f 'x%g: 1' 100000 >body
says 422 POST /api/report
json reply >/dev/null
[ "$(wc -c <reply)" -lt 200000 ] || complain "all of a hundred thousand mistakes are told"
# Files that a model names are not read.
echo '{"k": {"times": {"1": 1}}}' >folder/times.json
for file in times.json folder/times.json /etc/passwd "$folder/outside/secret.yaml"; do
    printf 'weir: 1\nunit: us\nplatform: {gpu: {sms: 8}}\noperators:\n  k: {time: {gpu: "%s"}}\n' "$file" >body
    says 422 POST /api/report
    lacks reply 'root:'
    lacks reply secret
done
rm folder/times.json

# ---- too much ----

head -c 1048577 /dev/zero >body
says 413 POST /api/report
printf 'POST /api/report HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Length: 99999999999999999999\r\n\r\n' "$port" >asked
raw asked
[[ $status == 41[03] || $status == 400 ]] || complain "a body without end is answered with '$status'"
{ # in pieces, without a length
    printf 'POST /api/report HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' "$port"
    for _ in 1 2 3; do
        printf '80000\r\n'
        head -c 524288 /dev/zero
        printf '\r\n'
    done
    printf '0\r\n\r\n'
} >asked
raw asked
equal "too much in pieces" "$status" 413
{
    printf 'POST /api/report HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' "$port"
    for _ in $(seq 24); do
        printf '80000\r\n'
        head -c 524288 /dev/zero
        printf '\r\n'
    done
} >asked
raw asked # it ends the connection
{
    printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n' "$port"
    for i in $(seq 2000); do
        printf 'X-%d: %0100d\r\n' "$i" 0
    done
    printf '\r\n'
} >asked
raw asked
[[ $status == 4[0-9][0-9] ]] || complain "huge headers are answered with '$status'"
says 200 GET "/api/model?$(printf 'a=b&%.0s' $(seq 100))name=camera.yaml"
for count in 500 20000; do # more than is kept of them: refused, or the connection is closed
    ask GET "/api/model?$(printf 'a=b&%.0s' $(seq $count))name=camera.yaml"
    [[ -z $status || $status == 4[0-9][0-9] ]] || complain "$count arguments are answered with '$status'"
done
for bytes in '\r\n\r\n' 'GET\r\n\r\n' '\0\0\0\0\r\n\r\n' 'GET / HTTP/9.9\r\n\r\n' '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'; do
    printf "$bytes" >asked
    timeout 0.3 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"; cat "$2" >&3; cat <&3' - "$port" asked >/dev/null 2>&1
done
# Two at once on one connection.
{
    printf 'GET /api/models HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n' "$port"
    printf 'POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n\r\n' "$port" "$(wc -c <"$models/camera.yaml")"
    cat "$models/camera.yaml"
    printf 'GET /api/models HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n' "$port"
} >asked
raw asked
equal "answers to three requests" "$(grep -ac '^HTTP/1.1 200' all)" 3

finish INT

# ---- its end ----

start || complain "the server cannot start again"
hard_model >hard.yaml
request_about hard.yaml >long
bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && cat "$2" >&3 && exec cat <&3' - "$port" long >long1 2>/dev/null &
asking=$!
sleep 0.3
expect 74 timeout -k 10 600 "$weir_program" serve folder --port "$port"
has stderr 'cannot listen on port'
children=$(ps -o pid= --ppid $server 2>/dev/null)
finish TERM
wait $asking
for child in $children; do
    kill -0 "$child" 2>/dev/null && complain "a process is left"
done
start && finish HUP
expect 3 weir serve nowhere
has stderr 'cannot open the folder nowhere'
expect 3 weir serve folder/camera.yaml
expect 2 weir serve folder outside
expect 2 weir serve --port 65536
expect 2 weir serve --port -1
timeout -k 10 600 "$weir_program" serve folder --port 0 >/dev/full 2>stderr
equal "with a full disk for a standard output" $? 74
timeout -k 10 600 "$weir_program" serve folder --port 0 >&- 2>stderr
equal "without a standard output" $? 74

# ---- saving ----

start --write || complain "the server cannot start with --write"
has said 'models can be saved'
says 200 GET /
has reply 'data-write="yes"'
tag() {
    sed -n 's/^ETag: //p' head
}
says 200 GET '/api/model?name=camera.yaml'
old=$(tag)
chmod 640 folder/camera.yaml
echo 'new text' >body
says 200 PUT '/api/model?name=camera.yaml' "If-Match: $old"
equal "saved" "$(cat folder/camera.yaml)" 'new text'
equal "mode" "$(stat -c %a folder/camera.yaml)" 640
new=$(tag)
says 200 GET '/api/model?name=camera.yaml'
equal "the tag of what was saved" "$(tag)" "$new"
echo 'again' >body
says 412 PUT '/api/model?name=camera.yaml' "If-Match: $old"
echo 'again' >body
says 412 PUT '/api/model?name=camera.yaml' 'If-None-Match: *'
echo 'again' >body
says 412 PUT '/api/model?name=fresh.yaml' "If-Match: $old"
equal "still saved" "$(cat folder/camera.yaml)" 'new text'
echo 'fresh' >body
says 200 PUT '/api/model?name=fresh.yaml' 'If-None-Match: *'
equal "a fresh one" "$(cat folder/fresh.yaml)" fresh
: >body
says 200 PUT '/api/model?name=empty.yml'
equal "an empty one" "$(wc -c <folder/empty.yml)" 0
# Not through links, nor in place of anything but files; a hard link is cut.
for name in link.yaml dangling.yaml inside.yaml pipe.yaml; do
    echo 'overwritten' >body
    says 403 PUT "/api/model?name=$name"
done
[ -L folder/link.yaml ] && [ -p folder/pipe.yaml ] && [ -d folder/inside.yaml ] || complain "something was replaced that is no file"
[ ! -e folder/nowhere.yaml ] || complain "written through a dangling link"
echo 'overwritten' >body
says 200 PUT '/api/model?name=hard.yaml'
equal "what the hard link shared" "$(cat outside/secret.yaml)" secret
chmod 444 folder/fresh.yaml
echo 'overwritten' >body
says 403 PUT '/api/model?name=fresh.yaml'
equal "a file that is not to be written" "$(cat folder/fresh.yaml)" fresh
for name in '' .. ../outside/new.yaml ..%2foutside%2fnew.yaml "$folder/outside/new.yaml" .new.yaml new.txt new new.yaml/ a%00.yaml out/new.yaml \
    'new%0a.yaml' "$(printf 'a%.0s' $(seq 300)).yaml"; do
    echo 'overwritten' >body
    says 400 PUT "/api/model?name=$name"
done
echo 'overwritten' >body
says 403 PUT '/api/model?name=new.yaml' 'Origin: http://evil'
echo 'overwritten' >body
says 403 PUT '/api/model?name=new.yaml' 'Host: evil'
head -c 1048577 /dev/zero >body
says 413 PUT '/api/model?name=new.yaml'
# A body that ends too early is not saved.
printf 'PUT /api/model?name=new.yaml HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 100\r\n\r\nhalf' "$port" >asked
timeout 1 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"; cat "$2" >&3' - "$port" asked
says 200 GET /api/models
ls -a folder outside >after
lacks after new.yaml
lacks after .tmp
# The folder stays the same one where it is renamed.
mv folder moved
ln -s outside folder
says 404 GET '/api/model?name=secret.yaml'
says 200 GET '/api/model?name=fresh.yaml'
rm folder
mv moved folder
finish TERM
