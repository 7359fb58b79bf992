#!/bin/sh
# Daily command with the TPM of this host: tpm2.sh seal|unseal. It reads a key or a blob, and prints the other.
# The TPM gives the key while PCR 7 is as it was: the firmware's settings of Secure Boot, and the keys of whatever it booted.
set -eu
folder=$(mktemp -d -p /dev/shm)
# /dev/tpmrm0 forgets objects with the process that made them, a TPM without resource manager does not.
flush() { tpm2_flushcontext --transient-object; }
trap 'flush || true; rm -r "$folder"' EXIT
parent="$folder/parent"
tpm2_createprimary --quiet --hierarchy o --key-context "$parent"
flush
case "${1:-}" in
seal)
  tpm2_createpolicy --quiet --policy-pcr --pcr-list sha256:7 --policy "$folder/policy"
  tpm2_create --quiet --parent-context "$parent" --policy "$folder/policy" --sealing-input - \
    --public "$folder/public" --private "$folder/private"
  echo "$(base64 -w 0 "$folder/public") $(base64 -w 0 "$folder/private")"
  ;;
unseal)
  read -r public private
  echo "$public" | base64 -d > "$folder/public"
  echo "$private" | base64 -d > "$folder/private"
  tpm2_load --quiet --parent-context "$parent" --public "$folder/public" --private "$folder/private" \
    --key-context "$folder/key"
  flush
  tpm2_unseal --object-context "$folder/key" --auth pcr:sha256:7
  ;;
*)
  echo "usage: tpm2.sh seal|unseal" >&2
  exit 2
  ;;
esac
