package main

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secp "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

var compressed = regexp.MustCompile(`^0[23][0-9a-f]{64}$`)
var edKey = regexp.MustCompile(`^[0-9a-f]{64}$`)

// isStamped tells whether the key that stands beside a text stamped it (stamp.md, "To verify" and "In votes").
func isStamped(shown object) bool {
	scheme, key, message := textIn(shown, "scheme"), textIn(shown, "publicKey"), []byte(textIn(shown, "message"))
	if scheme == "SIGNATURE_SCHEME_TK_WEBAUTHN" {
		return isAsserted(key, textIn(shown, "signature"), message)
	}
	signature, err := hex.DecodeString(textIn(shown, "signature"))
	if err != nil {
		return false
	}
	switch scheme {
	case "SIGNATURE_SCHEME_TK_API_ED25519":
		point, err := hex.DecodeString(key)
		return err == nil && edKey.MatchString(key) && len(signature) == 64 && ed25519.Verify(point, message, signature)
	case "SIGNATURE_SCHEME_TK_API_SECP256K1":
		digest := sha256.Sum256(message)
		return secpVerifies(key, digest[:], signature)
	case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
		hash := sha3.NewLegacyKeccak256()
		fmt.Fprintf(hash, "\x19Ethereum Signed Message:\n%d", len(message))
		hash.Write(message)
		return secpVerifies(key, hash.Sum(nil), signature)
	case "SIGNATURE_SCHEME_TK_API_P256", "STAMP_ATTESTED_SCHEME_P256_OIDC",
		"STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN":
		if !compressed.MatchString(key) {
			return false
		}
		point, err := p256FromHex(key)
		if err != nil {
			return false
		}
		r, s, err := readDer(signature)
		digest := sha256.Sum256(message)
		return err == nil && p256Verifies(point, digest[:], r, s)
	}
	return false
}

func p256FromHex(text string) (*ecdsa.PublicKey, error) {
	point, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), point)
	if x == nil {
		return nil, errors.New("no point")
	}
	return &ecdsa.PublicKey{Curve: elliptic.P256(), X: x, Y: y}, nil
}

func p256Point(point []byte) (*ecdsa.PublicKey, error) {
	// It refuses what is no point of the curve.
	if _, err := ecdh.P256().NewPublicKey(point); err != nil {
		return nil, err
	}
	x, y := new(big.Int).SetBytes(point[1:33]), new(big.Int).SetBytes(point[33:])
	return &ecdsa.PublicKey{Curve: elliptic.P256(), X: x, Y: y}, nil
}

func p256Verifies(key *ecdsa.PublicKey, digest []byte, r, s *big.Int) bool {
	return ecdsa.Verify(key, digest, r, s)
}

func secpVerifies(key string, digest, signature []byte) bool {
	if !compressed.MatchString(key) {
		return false
	}
	bytesOfKey, _ := hex.DecodeString(key)
	point, err := secp256k1.ParsePubKey(bytesOfKey)
	if err != nil {
		return false
	}
	r, s, err := readDer(signature)
	if err != nil || r.BitLen() > 256 || s.BitLen() > 256 {
		return false
	}
	var rScalar, sScalar secp256k1.ModNScalar
	var rBytes, sBytes [32]byte
	r.FillBytes(rBytes[:])
	s.FillBytes(sBytes[:])
	if rScalar.SetBytes(&rBytes) != 0 || sScalar.SetBytes(&sBytes) != 0 {
		return false
	}
	return secp.NewSignature(&rScalar, &sScalar).Verify(digest, point)
}

// readDer reads 30 length, 02 length r, 02 length s. Both may have any number of leading zeros, and neither is negative.
func readDer(der []byte) (*big.Int, *big.Int, error) {
	fault := errors.New("no DER signature")
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 || der[1] >= 128 {
		return nil, nil, fault
	}
	rest := der[2:]
	var scalars [2]*big.Int
	for index := range scalars {
		if len(rest) < 3 || rest[0] != 2 || rest[1] == 0 || int(rest[1]) > len(rest)-2 || rest[2] >= 128 {
			return nil, nil, fault
		}
		scalars[index] = new(big.Int).SetBytes(rest[2 : 2+rest[1]])
		rest = rest[2+rest[1]:]
	}
	if len(rest) > 0 {
		return nil, nil, fault
	}
	return scalars[0], scalars[1], nil
}

// isAsserted verifies a passkey's assertion over SHA-256 of the message, without the ceremony's origin, which a vote does not
// show an organization for.
func isAsserted(coseKey, header string, message []byte) bool {
	cose, err := base64url(coseKey)
	if err != nil {
		return false
	}
	members, err := readObject([]byte(header))
	if err != nil || len(members) != 4 {
		return false
	}
	parts := map[string][]byte{}
	for _, name := range []string{"authenticatorData", "clientDataJson", "credentialId", "signature"} {
		if parts[name], err = base64url(textIn(members, name)); err != nil || len(parts[name]) == 0 {
			return false
		}
	}
	client, err := readObject(parts["clientDataJson"])
	challenge := base64.RawURLEncoding.EncodeToString([]byte(sha256Hex(message)))
	if err != nil || textIn(client, "type") != "webauthn.get" ||
		strings.TrimRight(textIn(client, "challenge"), "=") != challenge {
		return false
	}
	data := parts["authenticatorData"]
	if len(data) < 37 || data[32]&1 == 0 {
		return false
	}
	digest := sha256.Sum256(parts["clientDataJson"])
	return coseVerifies(cose, append(bytes.Clone(data), digest[:]...), parts["signature"])
}

func base64url(text string) ([]byte, error) {
	return decode(text, base64.RawURLEncoding, base64.URLEncoding)
}

// decode reads a text in its one spelling: Go skips line breaks.
func decode(text string, encodings ...*base64.Encoding) ([]byte, error) {
	for _, encoding := range encodings {
		if decoded, err := encoding.DecodeString(text); err == nil && encoding.EncodeToString(decoded) == text {
			return decoded, nil
		}
	}
	return nil, errors.New("no base64")
}

// coseVerifies reads a COSE_Key (RFC 9052, 7; RFC 9053): ES256, EdDSA, RS256.
func coseVerifies(cose, signed, signature []byte) bool {
	key, rest, err := readCborMap(cose)
	if err != nil || len(rest) > 0 {
		return false
	}
	digest := sha256.Sum256(signed)
	form := [3]int64{key.integers[algorithm], key.integers[keyType], key.integers[curve]}
	if _, isPrivate := key.bytes[-4]; isPrivate {
		return false
	}
	switch form {
	case [3]int64{-7, 2, 1}:
		if len(key.bytes[-2]) != 32 || len(key.bytes[-3]) != 32 {
			return false
		}
		point, err := p256Point(append(append([]byte{4}, key.bytes[-2]...), key.bytes[-3]...))
		r, s, fault := readDer(signature)
		return err == nil && fault == nil && p256Verifies(point, digest[:], r, s)
	case [3]int64{-8, 1, 6}:
		x := key.bytes[-2]
		return len(x) == 32 && len(signature) == 64 && ed25519.Verify(x, signed, signature)
	case [3]int64{-257, 3, 0}:
		public := &rsa.PublicKey{N: new(big.Int).SetBytes(key.bytes[-1]), E: int(new(big.Int).SetBytes(key.bytes[-2]).Int64())}
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}
