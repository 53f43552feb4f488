# The commands of the book's page for operators. A test runs each part in a shell of its own, on the machine that the page names.

# ANCHOR: certificates
new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@"; }
new -x509 -days 3650 -subj /CN=cents -keyout ca.key -out ca.crt
for machine in a=10.0.0.1 b=10.0.0.2 c=10.0.0.3; do
    name=${machine%=*} address=${machine#*=}
    mkdir "$name"
    new -subj "/CN=$name" -addext "subjectAltName=IP:$address" -keyout "$name/machine.key" -out "$name/request"
    openssl x509 -req -in "$name/request" -copy_extensions copy -days 800 \
        -CA ca.crt -CAkey ca.key -out "$name/machine.crt"
    { echo "export NAME=$name ADDRESS=$address"; cat machine.sh; } > "$name/machine.sh"
    cp ca.crt nats.conf "$name"
done
# ANCHOR_END: certificates

# ANCHOR: server
. ./machine.sh
nats-server -c nats.conf
# ANCHOR_END: server

# ANCHOR: healthy
until curl -sf http://127.0.0.1:8222/healthz; do sleep 1; done
curl -s http://127.0.0.1:8222/jsz | grep sync_always
# ANCHOR_END: healthy

# ANCHOR: primary
. ./machine.sh
ch0e $VENUE
# ANCHOR_END: primary

# ANCHOR: standby
. ./machine.sh
ch0e standby $VENUE
# ANCHOR_END: standby

# ANCHOR: market
curl -s --cacert ca.crt -H "Authorization: Bearer $OPERATOR" -d '{"question":{"en":"Snow?","zh":"会下雪吗？"}}' \
    https://10.0.0.1:8099/v1/markets
# ANCHOR_END: market

# ANCHOR: look
curl -s http://127.0.0.1:9099/metrics | grep ^venue_replication
# ANCHOR_END: look

# ANCHOR: takeover
. ./machine.sh
ch0e takeover b $REACH
curl -s --retry 30 --retry-connrefused --retry-delay 1 --cacert ca.crt https://10.0.0.2:8099/v1/markets
# ANCHOR_END: takeover

# ANCHOR: back
. ./machine.sh
ch0e takeover a $REACH
# ANCHOR_END: back

# ANCHOR: trim
. ./machine.sh
ch0e trim --standby b $REACH
# ANCHOR_END: trim

# ANCHOR: backup
ch0e backup --data-dir venue backup
# ANCHOR_END: backup
