package main

import "errors"

// coseKey has the members of a COSE_Key by label.
type coseKey struct {
	integers map[int64]int64
	bytes    map[int64][]byte
}

// Labels of every key (RFC 9052, 7.1). The curve and the coordinates of a key have negative ones.
const keyType, algorithm, curve = 1, 3, -1

var errCbor = errors.New("no COSE_Key")

// readCborMap reads a map of integers to integers and byte strings (RFC 8949, 3): all that a COSE_Key of these algorithms has.
func readCborMap(text []byte) (coseKey, []byte, error) {
	key := coseKey{integers: map[int64]int64{}, bytes: map[int64][]byte{}}
	major, pairs, rest, err := readHead(text)
	if err != nil || major != 5 {
		return key, nil, errCbor
	}
	for ; pairs > 0; pairs-- {
		var label, value int64
		if label, rest, err = readInteger(rest); err != nil {
			return key, nil, err
		}
		kind, length, behind, err := readHead(rest)
		if err != nil {
			return key, nil, err
		}
		if kind == 2 {
			if length > uint64(len(behind)) {
				return key, nil, errCbor
			}
			key.bytes[label], rest = behind[:length], behind[length:]
			continue
		}
		if value, rest, err = readInteger(rest); err != nil {
			return key, nil, err
		}
		key.integers[label] = value
	}
	return key, rest, nil
}

func readInteger(text []byte) (int64, []byte, error) {
	major, value, rest, err := readHead(text)
	if err != nil || major > 1 || value > 1<<62 {
		return 0, nil, errCbor
	}
	if major == 1 {
		return -1 - int64(value), rest, nil
	}
	return int64(value), rest, nil
}

// readHead reads the first byte of an item and its argument of 0, 1, 2, 4 or 8 bytes.
func readHead(text []byte) (byte, uint64, []byte, error) {
	if len(text) == 0 {
		return 0, 0, nil, errCbor
	}
	major, argument, rest := text[0]>>5, uint64(text[0]&31), text[1:]
	if argument < 24 {
		return major, argument, rest, nil
	}
	length := 1 << (argument - 24)
	if argument > 27 || len(rest) < length {
		return 0, 0, nil, errCbor
	}
	argument = 0
	for _, one := range rest[:length] {
		argument = argument<<8 | uint64(one)
	}
	return major, argument, rest[length:], nil
}
