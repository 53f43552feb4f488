# How a program on this machine reaches the servers, and with what it starts a venue.
servers=tls://10.0.0.1:4222,tls://10.0.0.2:4222,tls://10.0.0.3:4222
REACH="--replicas $servers --replicas-ca ca.crt --replicas-certificate machine.crt --replicas-key machine.key"
VENUE="$REACH --name $NAME --data-dir venue --metrics 127.0.0.1:9099 --no-demo"
VENUE="$VENUE --listen $ADDRESS:8099 --tls-certificate machine.crt --tls-key machine.key"
