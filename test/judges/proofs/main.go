// A second verifier of app proofs, boot proofs and stamps, written from docs/formats alone. It shares no code and no language
// with the signer. Its protobuf types come from the contract's descriptors, as `buf build` writes them.
//
//	proofs DESCRIPTORS < evidence
//
// Each line of evidence is an object with proofs, bootProofs, pins and, where they are there, formerPins, codeDigest and activity.
// Or it has a stamp alone, as a vote shows it. For each it prints `verified` or `failed` and a reason. Well-formedness of a body is left to the signer: here a body counts if its stamp does.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: proofs DESCRIPTORS < evidence")
		os.Exit(2)
	}
	if err := readContract(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		if err := verifyLine(lines.Bytes()); err != nil {
			fmt.Printf("failed %q\n", err)
		} else {
			fmt.Println("verified")
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func verifyLine(line []byte) error {
	evidence, err := readObject(line)
	if err != nil {
		return err
	}
	if _, isStamp := evidence["stamp"]; isStamp {
		if !isStamped(objectIn(evidence, "stamp")) {
			return fmt.Errorf("the stamp does not cover its message")
		}
		return nil
	}
	proofs := listIn(evidence, "proofs")
	if len(proofs) == 0 {
		return fmt.Errorf("no proofs")
	}
	var shown *activity
	if _, isShown := evidence["activity"]; isShown {
		if shown, err = readActivity(objectIn(evidence, "activity")); err != nil {
			return err
		}
	}
	return verifyAll(proofs, evidence, shown)
}

func verifyAll(proofs []object, evidence object, shown *activity) error {
	var addresses []string
	outcomes := 0
	for _, proof := range proofs {
		payload, err := verifyProof(proof, evidence)
		if err != nil {
			return err
		}
		switch textIn(payload, "type") {
		case "APP_PROOF_TYPE_ADDRESS_DERIVATION":
			statement := objectIn(payload, "addressDerivationProof")
			addresses = append(addresses, textIn(statement, "address"))
			err = verifyAddress(statement, shown)
		case "APP_PROOF_TYPE_POLICY_OUTCOME":
			outcomes++
			err = verifyOutcome(objectIn(payload, "policyOutcomeProof"), shown)
		default:
			err = fmt.Errorf("a proof of an unknown type")
		}
		if err != nil {
			return err
		}
	}
	if shown == nil {
		return nil
	}
	if outcomes == 0 {
		return fmt.Errorf("no proof of the decision")
	}
	return verifyAddresses(addresses, shown)
}

func sha256Hex(bytes []byte) string {
	digest := sha256.Sum256(bytes)
	return hex.EncodeToString(digest[:])
}
