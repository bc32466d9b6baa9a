#!/bin/sh
# Makes a cluster of one and serves S3 on port 9000 with the keys from ACCESS_KEY and SECRET_KEY. With BUCKET it makes that
# bucket too, at each start, since nothing outlives the container; /tmp/ceph/ready is there once it has.
set -eu
: "${ACCESS_KEY:?}" "${SECRET_KEY:?}"

home=/tmp/ceph
# A container that is started again in its pod finds the files of the last one, whose objects are gone.
rm -rf "$home"
mkdir -p "$home/mon" "$home/osd0" "$home/rgw"
cd "$home"
fsid=$(uuidgen)
cat >ceph.conf <<CONF
[global]
fsid = $fsid
mon host = [v1:127.0.0.1:6789]
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = $home
pid file = $home/\$name.pid
log file = $home/\$name.log
admin socket = $home/\$name.asok
crash dir = $home
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
[mon]
mon data = $home/mon
[osd]
osd data = $home/osd0
osd objectstore = memstore
memstore device bytes = 2147483648
# On a busy machine it asks before it knows the cluster, is refused, and ends.
osd crush update on start = false
osd class update on start = false
[client]
rgw frontends = beast endpoint=0.0.0.0:9000
rgw dynamic resharding = false
rgw data = $home/rgw
keyring = $home/keyring
CONF
c="$home/ceph.conf"
ceph-authtool -C keyring --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' >/dev/null
monmaptool --create --fsid "$fsid" --addv a '[v1:127.0.0.1:6789]' monmap >/dev/null
ceph-mon -c "$c" --mkfs -i a --monmap monmap --keyring keyring
ceph-mon -c "$c" -i a
ceph -c "$c" osd create >/dev/null
ceph -c "$c" osd crush add osd.0 1.0 root=default host=localhost 2>/dev/null
ceph-osd -c "$c" -i 0 --mkfs 2>/dev/null
ceph-osd -c "$c" -i 0
radosgw-admin -c "$c" user create --uid=standin --display-name=standin \
  --access-key="$ACCESS_KEY" --secret="$SECRET_KEY" >/dev/null
if [ -n "${BUCKET-}" ]; then
  {
    until curl -sf -o /dev/null --aws-sigv4 aws:amz:us-east-1:s3 --user "$ACCESS_KEY:$SECRET_KEY" \
      -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' -X PUT "http://127.0.0.1:9000/$BUCKET"; do sleep 0.5; done
    : >ready
  } &
fi
echo 'serving S3 on port 9000'
exec radosgw -c "$c" -n client.admin -f
