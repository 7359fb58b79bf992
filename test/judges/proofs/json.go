package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

type object = map[string]any

// readObject reads strict JSON: an object, no member twice, nothing behind it. Numbers stay as they are written.
func readObject(text []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the JSON")
	}
	members, isObject := value.(object)
	if !isObject {
		return nil, errors.New("the JSON is no object")
	}
	return members, nil
}

func readValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		members := object{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			if _, isThere := members[name.(string)]; isThere {
				return nil, fmt.Errorf("member %q stands twice", name)
			}
			if members[name.(string)], err = readValue(decoder); err != nil {
				return nil, err
			}
		}
		_, err := decoder.Token()
		return members, err
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := decoder.Token()
		return items, err
	}
	return token, nil
}

func textIn(members object, name string) string {
	text, _ := members[name].(string)
	return text
}

func objectIn(members object, name string) object {
	value, _ := members[name].(object)
	return value
}

// listIn returns the objects of a list.
func listIn(members object, name string) []object {
	items, _ := members[name].([]any)
	var objects []object
	for _, item := range items {
		if one, isObject := item.(object); isObject {
			objects = append(objects, one)
		}
	}
	return objects
}
