package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

const bootTag = "countersign/v1/boot-manifest\x00"

var keySet = regexp.MustCompile(`^[0-9a-f]{260}$`)
var rawSignature = regexp.MustCompile(`^[0-9a-f]{128}$`)

// verifyProof verifies the signature of an app proof and the boot proof of its key, and returns its statement
// (app-proofs.md, "To verify", 1 to 3).
func verifyProof(proof, evidence object) (object, error) {
	if textIn(proof, "scheme") != "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256" {
		return nil, fmt.Errorf("another scheme")
	}
	key := textIn(proof, "publicKey")
	if !isSignedBy(key, []byte(textIn(proof, "proofPayload")), textIn(proof, "signature")) {
		return nil, fmt.Errorf("the signature does not fit")
	}
	payload, err := readObject([]byte(textIn(proof, "proofPayload")))
	if err != nil {
		return nil, err
	}
	for _, bootProof := range listIn(evidence, "bootProofs") {
		if textIn(bootProof, "ephemeralPublicKeyHex") == key {
			return payload, verifyBootProof(bootProof, key, textIn(payload, "timestampMs"), evidence)
		}
	}
	return nil, fmt.Errorf("no boot proof of the key")
}

// isSignedBy verifies r || s by the second point of a key set.
func isSignedBy(key string, message []byte, signature string) bool {
	if !keySet.MatchString(key) || !rawSignature.MatchString(signature) {
		return false
	}
	points, _ := hex.DecodeString(key)
	if _, err := p256Point(points[:65]); err != nil {
		return false
	}
	point, err := p256Point(points[65:])
	if err != nil {
		return false
	}
	scalars, _ := hex.DecodeString(signature)
	digest := sha256.Sum256(message)
	return p256Verifies(point, digest[:], new(big.Int).SetBytes(scalars[:32]), new(big.Int).SetBytes(scalars[32:]))
}

func verifyBootProof(bootProof object, key, provenAtMs string, evidence object) error {
	manifestBytes, err := decode(textIn(bootProof, "qosManifestB64"), base64.StdEncoding)
	if err != nil {
		return err
	}
	manifest, err := readObject(manifestBytes)
	if err != nil {
		return err
	}
	envelopeBytes, err := decode(textIn(bootProof, "qosManifestEnvelopeB64"), base64.StdEncoding)
	if err != nil {
		return err
	}
	envelope, err := readObject(envelopeBytes)
	if err != nil {
		return err
	}
	if textIn(envelope, "manifest") != textIn(bootProof, "qosManifestB64") {
		return fmt.Errorf("the envelope is of another manifest")
	}
	pins, err := choosePins(manifest, provenAtMs, evidence)
	if err != nil {
		return err
	}
	if expected := textIn(evidence, "codeDigest"); expected != "" && expected != textIn(manifest, "codeDigest") {
		return fmt.Errorf("it ran other code")
	}
	if err := verifyApproval(envelope, manifestBytes, textIn(pins, "notarizerPublicKey")); err != nil {
		return err
	}
	return compareMembers(bootProof, manifest, envelope, key, pins)
}

// choosePins returns the pins that the manifest names: those of today, or former ones that were in use at the times of process and
// proof (pins.md, "Former pins").
func choosePins(manifest object, provenAtMs string, evidence object) (object, error) {
	named := textIn(manifest, "pinsDigest")
	if pins := objectIn(evidence, "pins"); pins != nil && pinsDigest(pins) == named {
		return pins, nil
	}
	for _, former := range listIn(evidence, "formerPins") {
		pins := objectIn(former, "pins")
		if pinsDigest(pins) != named {
			continue
		}
		until, isNumber := former["validUntilMs"].(json.Number)
		for _, time := range []string{textIn(manifest, "bootedAtMs"), provenAtMs} {
			limit, _ := strconv.ParseInt(string(until), 10, 64)
			if read, err := strconv.ParseInt(time, 10, 64); isNumber && (err != nil || read > limit) {
				return nil, fmt.Errorf("the former pins had ended")
			}
		}
		return pins, nil
	}
	return nil, fmt.Errorf("no pins are those of the manifest")
}

func verifyApproval(envelope object, manifest []byte, notarizer string) error {
	for _, approval := range listIn(envelope, "approvals") {
		if !isSignedBy(notarizer, append([]byte(bootTag), manifest...), textIn(approval, "signature")) {
			continue
		}
		if textIn(approval, "by") != "notarizer" || textIn(approval, "publicKey") != notarizer[130:] {
			return fmt.Errorf("the approval names another key")
		}
		return nil
	}
	return fmt.Errorf("the notarizer of the pins approved no such manifest")
}

// compareMembers compares the manifest with key and pins, and what is not signed with the manifest.
func compareMembers(bootProof, manifest, envelope object, key string, pins object) error {
	attestation := objectIn(envelope, "attestation")
	kind := textIn(manifest, "attestation")
	document := ""
	if kind == "aws-nitro" {
		document = textIn(attestation, "document")
	}
	if kind == "none" && textIn(attestation, "document") != "" {
		return fmt.Errorf("a document without an attestation")
	}
	bootedAt, err := strconv.ParseInt(textIn(manifest, "bootedAtMs"), 10, 64)
	if err != nil {
		return err
	}
	createdAt := object{
		"seconds": strconv.FormatInt(bootedAt/1000, 10),
		"nanos":   strconv.FormatInt(bootedAt%1000*1_000_000, 10),
	}
	for name, pair := range map[string][2]any{
		"version":                 {manifest["version"], "countersign/v1"},
		"app":                     {manifest["app"], "signer"},
		"ephemeralPublicKey":      {manifest["ephemeralPublicKey"], key},
		"deploymentId":            {manifest["deploymentId"], pins["deploymentId"]},
		"pinsDigest":              {manifest["pinsDigest"], pinsDigest(pins)},
		"enclaveApp":              {bootProof["enclaveApp"], "signer"},
		"owner":                   {bootProof["owner"], pins["deploymentId"]},
		"deploymentLabel":         {bootProof["deploymentLabel"], manifest["release"]},
		"qosManifestVersion":      {bootProof["qosManifestVersion"], "countersign/v1"},
		"awsAttestationDocB64":    {bootProof["awsAttestationDocB64"], document},
		"createdAt":               {bootProof["createdAt"], createdAt},
		"attestation of envelope": {attestation["kind"], kind},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			return fmt.Errorf("%s differs", name)
		}
	}
	return nil
}

// pinsDigest is SHA-256 of the layout in pins.md, "Digest".
func pinsDigest(pins object) string {
	var text strings.Builder
	for number, name := range []string{
		"deploymentId", "signerPublicKey", "notarizerPublicKey", "fetcherPublicKey", "onRampPublicKey", "authProxyPublicKey",
	} {
		value := textIn(pins, name)
		if value == "" {
			continue
		}
		text.WriteByte(byte((number+1)<<3 | 2))
		text.Write(varint(uint64(len(value))))
		text.WriteString(value)
	}
	for number, name := range []string{"ledgerEpoch", "lanes"} {
		if value, err := strconv.ParseUint(textIn(pins, name), 10, 64); err == nil && value > uint64(number) {
			// An epoch of 0 and one lane are left out.
			text.WriteByte(byte((number + 7) << 3))
			text.Write(varint(value))
		}
	}
	return sha256Hex([]byte(text.String()))
}

func varint(value uint64) []byte {
	var bytes []byte
	for ; value >= 128; value >>= 7 {
		bytes = append(bytes, byte(value)|128)
	}
	return append(bytes, byte(value))
}
