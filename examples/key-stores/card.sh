#!/bin/sh
# A holder's key of P-256 on a card or token: card.sh public-key > holder.pem; card.sh sign act.txt > act.sig.
# PKCS11_MODULE: the card's library. PKCS11_TOKEN: its label. The key pair has the label "holder". The tool asks for the PIN, unless
# PKCS11_PIN has it.
set -eu
folder=$(mktemp -d -p /dev/shm)
trap 'rm -r "$folder"' EXIT
card() { pkcs11-tool --module "$PKCS11_MODULE" --token-label "$PKCS11_TOKEN" --label holder "$@" >&2; }
case "${1:-}" in
public-key)
  card --read-object --type pubkey --output-file "$folder/public"
  openssl pkey -pubin -inform DER -in "$folder/public"
  ;;
sign)
  # Not every card hashes: it signs the digest.
  openssl dgst -sha256 -binary "$2" > "$folder/digest"
  card --login ${PKCS11_PIN:+--pin env:PKCS11_PIN} --sign --mechanism ECDSA --signature-format openssl \
    --input-file "$folder/digest" --output-file "$folder/signature"
  cat "$folder/signature"
  ;;
*)
  echo "usage: card.sh public-key, or card.sh sign FILE" >&2
  exit 2
  ;;
esac
