#!/bin/sh
# Daily command with a key of RSA in a token: pkcs11.sh seal|unseal. It reads a key or a blob, and prints the other.
# PKCS11_MODULE: the token's library. PKCS11_TOKEN: its label. PKCS11_PIN_FILE: a file with its PIN, readable by this user alone.
# PKCS11_PUBLIC_KEY: the public key in PEM, which seals without the token. The private key has the label "countersign".
set -eu
case "${1:-}" in
seal)
  openssl pkeyutl -encrypt -pubin -inkey "$PKCS11_PUBLIC_KEY" -pkeyopt rsa_padding_mode:oaep | base64 -w 0
  ;;
unseal)
  # The tool takes its PIN from the environment, and its input from a file.
  folder=$(mktemp -d -p /dev/shm)
  trap 'rm -r "$folder"' EXIT
  base64 -d > "$folder/blob"
  PIN=$(cat "$PKCS11_PIN_FILE") && export PIN
  pkcs11-tool --module "$PKCS11_MODULE" --token-label "$PKCS11_TOKEN" --login --pin env:PIN --label countersign \
    --decrypt --mechanism RSA-PKCS-OAEP --hash-algorithm SHA-1 --mgf MGF1-SHA1 --input-file "$folder/blob"
  ;;
*)
  echo "usage: pkcs11.sh seal|unseal" >&2
  exit 2
  ;;
esac
