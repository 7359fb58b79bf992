// Command log judges a log's files with libraries that this project did not write: golang.org/x/mod/sumdb and torchwood.
//
//	log read URL KEY          verifies the checkpoint and every entry of a log that is served below a URL, and prints one line
//	log ask URL KEY           has a witness with this key cosign a growing log of its own, then a fork of it, and prints one line
//	log key NAME              prints the key of that log
//	log check DIRECTORY       verifies checkpoint, entries, tiles and proofs in a directory, and prints one line
//	log bundle FILE POINT     verifies a bundle of decisions, by the signing point of the pins' notarizer
//	log sign NAME TEXT        prints a key and a note, signed by golang.org/x/mod/sumdb/note
//	log cosign NAME TEXT      prints a key and a note, cosigned by torchwood
package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// proofs is the file proofs.json of the directory.
type proofs struct {
	Inclusion   []inclusion   `json:"inclusion"`
	Consistency []consistency `json:"consistency"`
}

type inclusion struct {
	Index int64       `json:"index"`
	Leaf  tlog.Hash   `json:"leaf"`
	Proof []tlog.Hash `json:"proof"`
}

type consistency struct {
	Size  int64       `json:"size"`
	Root  tlog.Hash   `json:"root"`
	Proof []tlog.Hash `json:"proof"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "check":
		return check(arguments[1])
	case len(arguments) == 3 && arguments[0] == "read":
		return read(arguments[1], arguments[2])
	case len(arguments) == 3 && arguments[0] == "bundle":
		return bundle(arguments[1], arguments[2])
	case len(arguments) == 3 && arguments[0] == "ask":
		return ask(arguments[1], arguments[2])
	case len(arguments) == 2 && arguments[0] == "key":
		_, key := foreignLog(arguments[1])
		fmt.Println(key)
		return nil
	case len(arguments) == 3 && arguments[0] == "sign":
		return sign(arguments[1], arguments[2])
	case len(arguments) == 3 && arguments[0] == "cosign":
		return cosign(arguments[1], arguments[2])
	}
	return errors.New("usage: log read URL KEY | ask URL KEY | key NAME | check DIRECTORY | bundle FILE POINT | sign NAME TEXT | cosign NAME TEXT")
}

func check(directory string) error {
	tree, cosignatures, err := openCheckpoint(directory)
	if err != nil {
		return err
	}
	if err := checkEntries(directory, tree); err != nil {
		return err
	}
	var given proofs
	text, err := os.ReadFile(filepath.Join(directory, "proofs.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	for _, one := range given.Inclusion {
		if err := tlog.CheckRecord(one.Proof, tree.N, tree.Hash, one.Index, one.Leaf); err != nil {
			return fmt.Errorf("inclusion of leaf %d: %w", one.Index, err)
		}
	}
	for _, one := range given.Consistency {
		if err := tlog.CheckTree(one.Proof, tree.N, tree.Hash, one.Size, one.Root); err != nil {
			return fmt.Errorf("consistency with %d: %w", one.Size, err)
		}
	}
	fmt.Printf("leaves %d, inclusion %d, consistency %d, cosignatures %d\n",
		tree.N, len(given.Inclusion), len(given.Consistency), cosignatures)
	return nil
}

// openCheckpoint verifies the signature of the log, and those of the witness whose key stands in the file "witness".
func openCheckpoint(directory string) (tlog.Tree, int, error) {
	none := tlog.Tree{}
	key, err := os.ReadFile(filepath.Join(directory, "key"))
	if err != nil {
		return none, 0, err
	}
	cosigners := []note.Verifier{}
	if witness, err := os.ReadFile(filepath.Join(directory, "witness")); err == nil {
		cosigner, err := torchwood.NewCosignatureVerifier(string(witness))
		if err != nil {
			return none, 0, err
		}
		cosigners = append(cosigners, cosigner)
	}
	signed, err := os.ReadFile(filepath.Join(directory, "checkpoint"))
	if err != nil {
		return none, 0, err
	}
	return openSigned(signed, string(key), cosigners)
}

func openSigned(signed []byte, key string, cosigners []note.Verifier) (tlog.Tree, int, error) {
	none := tlog.Tree{}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return none, 0, err
	}
	verifiers := append([]note.Verifier{verifier}, cosigners...)
	opened, err := note.Open(signed, note.VerifierList(verifiers...))
	if err != nil {
		return none, 0, err
	}
	checkpoint, err := torchwood.ParseCheckpoint(opened.Text)
	if err != nil {
		return none, 0, err
	}
	if checkpoint.Origin != verifier.Name() || opened.Sigs[0].Name != verifier.Name() {
		return none, 0, errors.New("the log did not sign its checkpoint")
	}
	return checkpoint.Tree, len(opened.Sigs) - 1, nil
}

// checkEntries hashes every entry, and compares it with the tiles, which are verified up to the root.
func checkEntries(directory string, tree tlog.Tree) error {
	files, err := torchwood.NewTileFS(os.DirFS(directory))
	if err != nil {
		return err
	}
	return readEntries(files, tree)
}

// read verifies a log over HTTP, as a monitor does.
func read(url, key string) error {
	fetcher, err := torchwood.NewTileFetcher(url)
	if err != nil {
		return err
	}
	signed, err := fetcher.ReadEndpoint(context.Background(), "checkpoint")
	if err != nil {
		return err
	}
	tree, _, err := openSigned(signed, key, nil)
	if err != nil {
		return err
	}
	if err := readEntries(fetcher, tree); err != nil {
		return err
	}
	fmt.Printf("leaves %d\n", tree.N)
	return nil
}

func readEntries(tiles torchwood.TileReader, tree tlog.Tree) error {
	client, err := torchwood.NewClient(tiles)
	if err != nil {
		return err
	}
	count := int64(0)
	for index := range client.AllEntries(context.Background(), tree, 0) {
		if index != count {
			return fmt.Errorf("entry %d came in place of %d", index, count)
		}
		count++
	}
	if err := client.Err(); err != nil {
		return err
	}
	if count != tree.N {
		return fmt.Errorf("%d entries of %d", count, tree.N)
	}
	return nil
}

func sign(name, text string) error {
	secret, key, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	return printSigned(key, text, signer)
}

func cosign(name, text string) error {
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := torchwood.NewCosignatureSigner(name, secret)
	if err != nil {
		return err
	}
	return printSigned(signer.Verifier().String(), text, signer)
}

func printSigned(key, text string, signer note.Signer) error {
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"key": key, "note": string(signed)})
}

// origin of the log that ask grows.
const origin = "example.com/foreign-log"

// foreignLog is the signer and the key of a log whose private key is the same in each run.
func foreignLog(name string) (note.Signer, string) {
	secret, key, err := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)), name)
	if err != nil {
		panic(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		panic(err)
	}
	return signer, key
}

// growing is a log in memory.
type growing struct {
	hashes []tlog.Hash
	size   int64
}

func (g *growing) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = g.hashes[index]
	}
	return found, nil
}

func (g *growing) add(record string) error {
	added, err := tlog.StoredHashes(g.size, []byte(record), g)
	if err != nil {
		return err
	}
	g.hashes = append(g.hashes, added...)
	g.size++
	return nil
}

// request of add-checkpoint, with a proof from the old size.
func (g *growing) request(signer note.Signer, old int64) (string, []byte, error) {
	root, err := tlog.TreeHash(g.size, g)
	if err != nil {
		return "", nil, err
	}
	text := torchwood.Checkpoint{Origin: origin, Tree: tlog.Tree{N: g.size, Hash: root}}.String()
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	if err != nil {
		return "", nil, err
	}
	body := fmt.Sprintf("old %d\n", old)
	if old > 0 {
		proof, err := tlog.ProveTree(g.size, old, g)
		if err != nil {
			return "", nil, err
		}
		for _, hash := range proof {
			body += hash.String() + "\n"
		}
	}
	return body + "\n" + string(signed), signed, nil
}

func ask(url, key string) error {
	signer, _ := foreignLog(origin)
	verifier, err := torchwood.NewCosignatureVerifier(key)
	if err != nil {
		return err
	}
	log, fork := &growing{}, &growing{}
	old, cosigned := int64(0), 0
	for size := int64(1); size <= 1000; size++ {
		if err := log.add(fmt.Sprintf("record %d", size)); err != nil {
			return err
		}
		record := fmt.Sprintf("record %d", size)
		if size == 3 {
			record = "another record"
		}
		if err := fork.add(record); err != nil {
			return err
		}
		if size%37 != 0 {
			continue
		}
		body, signed, err := log.request(signer, old)
		if err != nil {
			return err
		}
		status, reply, err := post(url, body)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("size %d from %d: %d %s", size, old, status, reply)
		}
		if _, err := note.Open(append(signed, reply...), note.VerifierList(verifier)); err != nil {
			return fmt.Errorf("the cosignature of size %d: %w", size, err)
		}
		old, cosigned = size, cosigned+1
	}
	body, _, err := fork.request(signer, old)
	if err != nil {
		return err
	}
	forked, _, err := post(url, body)
	if err != nil {
		return err
	}
	body, _, err = log.request(signer, 1)
	if err != nil {
		return err
	}
	stale, known, err := post(url, body)
	if err != nil {
		return err
	}
	fmt.Printf("cosigned %d, fork %d, stale %d %s", cosigned, forked, stale, known)
	return nil
}

func post(url, body string) (int, []byte, error) {
	response, err := http.Post(url+"add-checkpoint", "text/plain", bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}
