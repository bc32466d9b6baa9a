#!/bin/sh
# A Kubernetes cluster with two nodes on this machine, for test/docker/cluster/whole.long.test.ts. Each node has its network
# namespace with a Docker engine, a kubelet and kube-proxy; a third namespace has the control plane, DNS, and the programs
# of a test. It reaches no other network, and changes nothing outside of the namespaces.
#
#   sh test/docker/cluster/nodes.sh up        then KUBECONFIG=$folder/admin.yaml
#   sh test/docker/cluster/nodes.sh in …      runs a command where the cluster can be reached
#   sh test/docker/cluster/nodes.sh down
#
# Needs root and Debian's docker.io, etcd-server, dnsmasq-base, conntrack, socat and iptables. In $STANDIN_CLUSTER_DIR
# (default: standin-cluster in the temporary folder) there have to be:
#
#   bin/           kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy of Kubernetes 1.20 to 1.23,
#                  which still run containers by Docker; bench/notes/2026-11-27-cluster.md says how to compile them
#   node1/docker/  a data folder of Docker with the images pause:local, standin, standin-service, standin-s3-server and
#   node2/docker/  postgres:17; a copy of it
set -eu

folder=${STANDIN_CLUSTER_DIR:-${TMPDIR:-/tmp}/standin-cluster}
bin=$folder/bin
plane=standin-plane
# Of the bridge that joins the namespaces; of the pods of node N; of Services.
net=10.99.0
pods=10.100
services=10.96.0
server=https://$net.1:6443

# The mount namespace stays, other than with `ip netns exec`, which would hide the cgroups.
enter() {
  name=$1
  shift
  nsenter --net="/run/netns/$name" "$@"
}
# Starts a daemon in a namespace and notes its process.
begin() {
  space=$1
  label=$2
  shift 2
  # No function: its shell would hold the output of this script open.
  nsenter --net="/run/netns/$space" setsid "$@" >"$folder/log/$label.log" 2>&1 </dev/null &
  echo $! >"$folder/pid/$label"
}
await() {
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -le 240 ] || { echo "$what did not come up; see $folder/log" >&2; exit 1; }
    sleep 0.5
  done
}
kube() { enter "$plane" kubectl --kubeconfig "$folder/admin.yaml" "$@"; }

networks() {
  ip netns add "$plane"
  enter "$plane" ip link set lo up
  enter "$plane" ip link add bridge0 type bridge
  enter "$plane" ip address add "$net.1/24" dev bridge0
  enter "$plane" ip link set bridge0 up
  enter "$plane" sysctl -q -w net.ipv4.ip_forward=1
  for n in 1 2; do
    ip netns add "standin-node$n"
    enter "$plane" ip link add "node$n" type veth peer name eth0 netns "standin-node$n"
    enter "$plane" ip link set "node$n" master bridge0 up
    enter "standin-node$n" ip link set lo up
    enter "standin-node$n" ip link set eth0 up
    enter "standin-node$n" ip address add "$net.1$n/24" dev eth0
    enter "standin-node$n" ip route add default via "$net.1"
    enter "standin-node$n" ip route add "$pods.$((3 - n)).0/24" via "$net.1$((3 - n))"
    enter "$plane" ip route add "$pods.$n.0/24" via "$net.1$n"
  done
  # Tests reach Services by the rules of the first node.
  enter "$plane" ip route add "$services.0/24" via "$net.11"
}

secrets() {
  cd "$folder"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=standin-trial 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=kube-apiserver 2>/dev/null
  printf 'subjectAltName=IP:%s.1,IP:%s.1,DNS:kubernetes.default.svc' "$net" "$services" >server.ext
  openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile server.ext -out server.crt 2>/dev/null
  openssl genrsa -out accounts.key 2048 2>/dev/null
  token=$(openssl rand -hex 16)
  echo "$token,admin,admin,system:masters" >tokens.csv
  cat >admin.yaml <<CONFIG
apiVersion: v1
kind: Config
clusters: [{ name: trial, cluster: { server: "$server", certificate-authority: "$folder/ca.crt" } }]
users: [{ name: admin, user: { token: $token } }]
contexts: [{ name: trial, context: { cluster: trial, user: admin } }]
current-context: trial
CONFIG
  chmod 600 tokens.csv admin.yaml ./*.key
}

control_plane() {
  begin "$plane" etcd etcd --data-dir "$folder/etcd" --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
  begin "$plane" apiserver "$bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address "$net.1" --secure-port 6443 \
    --advertise-address "$net.1" --service-cluster-ip-range "$services.0/24" --authorization-mode RBAC --token-auth-file "$folder/tokens.csv" \
    --client-ca-file "$folder/ca.crt" --tls-cert-file "$folder/server.crt" --tls-private-key-file "$folder/server.key" \
    --service-account-issuer "$server" --service-account-key-file "$folder/accounts.key" \
    --service-account-signing-key-file "$folder/accounts.key" --kubelet-preferred-address-types InternalIP \
    --feature-gates TTLAfterFinished=true
  await 'the API server' kube get --raw /readyz
  begin "$plane" controllers "$bin/kube-controller-manager" --kubeconfig "$folder/admin.yaml" --root-ca-file "$folder/ca.crt" \
    --service-account-private-key-file "$folder/accounts.key" --use-service-account-credentials --feature-gates TTLAfterFinished=true
  begin "$plane" scheduler "$bin/kube-scheduler" --kubeconfig "$folder/admin.yaml"
  : >"$folder/hosts"
  begin "$plane" dns dnsmasq --keep-in-foreground --no-resolv --no-hosts --local=/cluster.local/ --addn-hosts="$folder/hosts" \
    --listen-address="$net.1" --bind-interfaces --user=root --log-facility=-
}

node() {
  n=$1
  home=$folder/node$n
  mkdir -p "$home/kubelet" "$home/exec" "$home/log/pods" "$home/log/containers"
  mkdir -p /var/log/pods /var/log/containers
  begin "standin-node$n" "docker$n" unshare --mount --propagation private sh -c '
    mount --bind "$1/pods" /var/log/pods && mount --bind "$1/containers" /var/log/containers && shift && exec "$@"' \
    sh "$home/log" dockerd --data-root "$home/docker" --exec-root "$home/exec" -p "$folder/pid/dockerd$n" \
    -H "unix://$home/docker.sock" --bip "$pods.$n.1/24" --ip-masq=false
  await "Docker of node $n" env DOCKER_HOST="unix://$home/docker.sock" /usr/bin/docker info
  enter "standin-node$n" iptables -P FORWARD ACCEPT
  # Each kubelet cleans up /var/log/pods, so each has its own; and Docker has to see what its kubelet mounts.
  begin "standin-node$n" "kubelet$n" nsenter --mount="/proc/$(cat "$folder/pid/docker$n")/ns/mnt" "$bin/kubelet" --kubeconfig "$folder/admin.yaml" --hostname-override "node$n" --node-ip "$net.1$n" \
    --root-dir "$home/kubelet" --container-runtime docker --docker-endpoint "unix://$home/docker.sock" \
    --pod-infra-container-image pause:local --cgroup-driver cgroupfs --cgroups-per-qos=false --enforce-node-allocatable= \
    --fail-swap-on=false --cluster-dns "$net.1" --cluster-domain cluster.local --resolv-conf "" --authorization-mode AlwaysAllow \
    --anonymous-auth=true --eviction-hard= --node-labels "trial/node=$n" --feature-gates LocalStorageCapacityIsolation=true
  begin "standin-node$n" "proxy$n" "$bin/kube-proxy" --kubeconfig "$folder/admin.yaml" --hostname-override "node$n" \
    --cluster-cidr "$pods.0.0/16" --proxy-mode iptables --conntrack-max-per-core 0 --masquerade-all
}

case ${1-} in
  up)
    rm -rf "$folder/etcd" "$folder/volume"
    mkdir -p "$folder/log" "$folder/pid" "$folder/volume"
    chmod 777 "$folder/volume"
    networks
    secrets
    control_plane
    node 1
    node 2
    await 'node 1' kube wait --for=condition=Ready node/node1 --timeout 1s
    await 'node 2' kube wait --for=condition=Ready node/node2 --timeout 1s
    kube get nodes -o wide
    ;;
  in)
    shift
    KUBECONFIG=$folder/admin.yaml
    export KUBECONFIG
    enter "$plane" "$@"
    ;;
  # Names of Services; again after each new one.
  names)
    kube get services --all-namespaces --no-headers \
      -o 'custom-columns=A:.spec.clusterIP,B:.metadata.name,C:.metadata.namespace' |
      awk '$1 != "None" { print $1, $2 "." $3 ".svc.cluster.local", $2 "." $3 ".svc" }' >"$folder/hosts"
    kill -HUP "$(cat "$folder/pid/dns")"
    ;;
  down)
    for label in kubelet1 kubelet2 proxy1 proxy2; do
      [ ! -f "$folder/pid/$label" ] || kill "$(cat "$folder/pid/$label")" 2>/dev/null || :
    done
    for n in 1 2; do
      host=unix://$folder/node$n/docker.sock
      containers=$(/usr/bin/docker -H "$host" ps -aq 2>/dev/null || :)
      # shellcheck disable=SC2086
      [ -z "$containers" ] || /usr/bin/docker -H "$host" rm -f $containers >/dev/null 2>&1 || :
      [ ! -f "$folder/pid/docker$n" ] || kill "$(cat "$folder/pid/docker$n")" 2>/dev/null || :
    done
    for label in scheduler controllers apiserver dns etcd; do
      [ ! -f "$folder/pid/$label" ] || kill "$(cat "$folder/pid/$label")" 2>/dev/null || :
    done
    for file in "$folder"/pid/*; do
      tries=0
      while kill -0 "$(cat "$file")" 2>/dev/null && [ "$tries" -le 60 ]; do
        tries=$((tries + 1))
        sleep 0.5
      done
    done
    rm -rf "$folder/pid" "$folder/etcd" "$folder"/node[12]/kubelet
    for name in "$plane" standin-node1 standin-node2; do ip netns delete "$name" 2>/dev/null || :; done
    ;;
  *)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
