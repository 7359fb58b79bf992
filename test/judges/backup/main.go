// Opens a part of a backup as docs/formats/backup.md describes it, by the HPKE and the AES-GCM of Go's standard library: a judge of the format.
//
//	backup KEY KIND < archive > tar
//
// KEY: a holder's private key of P-256, 64 hexadecimal digits. KIND: number of the part's kind.
package main

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

const (
	partMark     = "countersign-backup-part/1\n"
	manifestMark = "countersign-backup-manifest/1\n"
)

func main() {
	if err := run(os.Args[1], os.Args[2], bufio.NewReader(os.Stdin), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(keyHex, kindText string, in *bufio.Reader, out io.Writer) error {
	scalar, err := hex.DecodeString(keyHex)
	if err != nil {
		return err
	}
	key, err := ecdh.P256().NewPrivateKey(scalar)
	if err != nil {
		return err
	}
	kind, err := strconv.ParseUint(kindText, 10, 8)
	if err != nil {
		return err
	}
	for {
		mark, err := in.ReadString('\n')
		if err == io.EOF && mark == "" {
			return errors.New("the archive has no such part")
		}
		if err != nil {
			return err
		}
		head, err := field(in)
		if err != nil {
			return err
		}
		if mark == manifestMark {
			continue
		}
		if mark != partMark {
			return fmt.Errorf("an unknown section %q", mark)
		}
		header, err := fields(head)
		if err != nil {
			return err
		}
		isWanted := header[2].number == kind
		var part cipher.AEAD
		if isWanted {
			if part, err = open(header, key); err != nil {
				return err
			}
		}
		digest := sha256.Sum256(concat([]byte(partMark), prefixed(head)))
		if err := chunks(in, part, digest[:], out); err != nil || isWanted {
			return err
		}
	}
}

// The cipher of a part, whose key is sealed to this holder.
func open(header map[int]value, key *ecdh.PrivateKey) (cipher.AEAD, error) {
	own, err := hpke.NewDHKEMPrivateKey(key)
	if err != nil {
		return nil, err
	}
	point := key.PublicKey().Bytes()
	compressed := append([]byte{2 | point[64]&1}, point[1:33]...)
	aad := concat(prefixed(header[1].bytes), prefixed([]byte{byte(header[2].number)}))
	for _, sealed := range header[5].all {
		recipient, err := fields(sealed)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(recipient[1].bytes, compressed) {
			continue
		}
		opened, err := hpke.NewRecipient(recipient[2].bytes, own, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte("countersign/v1/backup-key"))
		if err != nil {
			return nil, err
		}
		partKey, err := opened.Open(aad, recipient[3].bytes)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(partKey)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	}
	return nil, errors.New("the key is of no holder")
}

// Reads the chunks of a part; without a cipher they are passed over.
func chunks(in io.Reader, part cipher.AEAD, head []byte, out io.Writer) error {
	for number := uint64(0); ; number++ {
		var last [1]byte
		if _, err := io.ReadFull(in, last[:]); err != nil {
			return err
		}
		sealed, err := field(in)
		if err != nil {
			return err
		}
		if part != nil {
			nonce := make([]byte, 12)
			binary.BigEndian.PutUint64(nonce[4:], number)
			place := append(append([]byte{}, nonce[4:]...), last[0])
			aad := concat(prefixed([]byte("countersign/v1/backup-chunk")), prefixed(head), prefixed(place))
			content, err := part.Open(nil, nonce, sealed, aad)
			if err != nil {
				return fmt.Errorf("chunk %d: %w", number, err)
			}
			if _, err := out.Write(content); err != nil {
				return err
			}
		}
		if last[0] == 1 {
			return nil
		}
	}
}

// length(4) and so many bytes.
func field(in io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return nil, err
	}
	content := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(in, content)
	return content, err
}

func prefixed(content []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...)
}

func concat(pieces ...[]byte) []byte { return bytes.Join(pieces, nil) }

// A field of a protobuf message: its last number or bytes, and all bytes of a repeated one.
type value struct {
	number uint64
	bytes  []byte
	all    [][]byte
}

// The fields of a message with varints and length-delimited fields alone.
func fields(message []byte) (map[int]value, error) {
	found := map[int]value{}
	for len(message) > 0 {
		tag, size := binary.Uvarint(message)
		number, length := binary.Uvarint(message[max(size, 0):])
		if size <= 0 || length <= 0 {
			return nil, errors.New("a header is no message")
		}
		message = message[size+length:]
		one := found[int(tag>>3)]
		switch tag & 7 {
		case 0:
			one.number = number
		case 2:
			if number > uint64(len(message)) {
				return nil, errors.New("a header ends within a field")
			}
			one.bytes = message[:number]
			one.all = append(one.all, one.bytes)
			message = message[number:]
		default:
			return nil, fmt.Errorf("a field of wire type %d", tag&7)
		}
		found[int(tag>>3)] = one
	}
	return found, nil
}
