package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// line is any line of a bundle (docs/formats/log-bundle.md).
type line struct {
	Format          string   `json:"format"`
	Checkpoint      string   `json:"checkpoint"`
	LogKeyStatement string   `json:"logKeyStatement"`
	LogKeySignature string   `json:"logKeySignature"`
	Decision        *receipt `json:"decision"`
	LeafIndex       string   `json:"leafIndex"`
	Leaf            string   `json:"leaf"`
	InclusionProof  []string `json:"inclusionProof"`
}

type receipt struct {
	Salt      string `json:"salt"`
	Statement string `json:"statement"`
}

const keyTag = "countersign/v1/log-key\x00"
const decisionTag = "countersign/v1/log-decision\x00"

// bundle verifies a file: the log's key by the notarizer's signing point, the checkpoint, each leaf and each commitment.
func bundle(path, notarizer string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	tree := tlog.Tree{}
	leaves, opened := 0, 0
	for number := 0; lines.Scan(); number++ {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return err
		}
		if number == 0 {
			if tree, err = openHead(one, notarizer); err != nil {
				return err
			}
		}
		if one.Leaf == "" {
			continue
		}
		if err := checkLeaf(one, tree); err != nil {
			return err
		}
		leaves++
		if one.Decision == nil {
			continue
		}
		if err := open(one); err != nil {
			return err
		}
		opened++
	}
	fmt.Printf("leaves %d, opened %d, of %d\n", leaves, opened, tree.N)
	return lines.Err()
}

func openHead(head line, notarizer string) (tlog.Tree, error) {
	none := tlog.Tree{}
	statement, err := hex.DecodeString(head.LogKeyStatement)
	if err != nil {
		return none, err
	}
	if err := verifyStatement(statement, head.LogKeySignature, notarizer); err != nil {
		return none, err
	}
	// The last field of the statement: tag 0x12, length 32, the key.
	if len(statement) < 34 || statement[len(statement)-34] != 0x12 || statement[len(statement)-33] != 32 {
		return none, errors.New("the statement does not end with a key")
	}
	key := statement[len(statement)-32:]
	origin, _, _ := strings.Cut(head.Checkpoint, "\n")
	named := append([]byte(origin+"\n\x01"), key...)
	digest := sha256.Sum256(named)
	text := fmt.Sprintf("%s+%08x+%s", origin, binary.BigEndian.Uint32(digest[:4]),
		base64.StdEncoding.EncodeToString(append([]byte{1}, key...)))
	verifier, err := note.NewVerifier(text)
	if err != nil {
		return none, err
	}
	signed, err := note.Open([]byte(head.Checkpoint), note.VerifierList(verifier))
	if err != nil {
		return none, err
	}
	checkpoint, err := torchwood.ParseCheckpoint(signed.Text)
	if err != nil {
		return none, err
	}
	return checkpoint.Tree, nil
}

func verifyStatement(statement []byte, signatureHex, point string) error {
	bytesOfPoint, err := hex.DecodeString(point)
	if err != nil {
		return err
	}
	x, y := elliptic.Unmarshal(elliptic.P256(), bytesOfPoint)
	if x == nil {
		return errors.New("no point of P-256")
	}
	signature, err := hex.DecodeString(signatureHex)
	if err != nil || len(signature) != 64 {
		return errors.New("no signature of 64 bytes")
	}
	digest := sha256.Sum256(append([]byte(keyTag), statement...))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !ecdsa.Verify(&ecdsa.PublicKey{Curve: elliptic.P256(), X: x, Y: y}, digest[:], r, s) {
		return errors.New("the notarizer did not sign the log's key")
	}
	return nil
}

func checkLeaf(one line, tree tlog.Tree) error {
	index, err := strconv.ParseInt(one.LeafIndex, 10, 64)
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(one.Leaf)
	if err != nil {
		return err
	}
	proof := make(tlog.RecordProof, len(one.InclusionProof))
	for at, text := range one.InclusionProof {
		hash, err := hex.DecodeString(text)
		if err != nil || len(hash) != tlog.HashSize {
			return errors.New("no hash")
		}
		copy(proof[at][:], hash)
	}
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(leaf)); err != nil {
		return fmt.Errorf("leaf %d: %w", index, err)
	}
	return nil
}

func open(one line) error {
	salt, err := hex.DecodeString(one.Decision.Salt)
	if err != nil {
		return err
	}
	statement, err := hex.DecodeString(one.Decision.Statement)
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(one.Leaf)
	if err != nil {
		return err
	}
	value := sha256.Sum256(append(append([]byte(decisionTag), salt...), statement...))
	if len(leaf) != 50 || leaf[1] != 4 || !bytes.Equal(leaf[18:], value[:]) {
		return fmt.Errorf("leaf %s does not open", one.LeafIndex)
	}
	return nil
}
