package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

const ruleOption, emptyIsAbsent = 50002, "empty_is_absent"

// contract has what the descriptors say of the public API.
var contract struct {
	types  protoreflect.EnumDescriptor
	intent protoreflect.MessageDescriptor
	result protoreflect.MessageDescriptor
	// Number of the member of FieldRule that makes "" mean absent.
	emptyIsAbsent protoreflect.FieldNumber
}

func readContract(path string) error {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(bytes, set); err != nil {
		return err
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return err
	}
	found := map[string]protoreflect.Descriptor{}
	for _, name := range []string{"ActivityType", "Intent", "Result", "FieldRule"} {
		if found[name], err = files.FindDescriptorByName(protoreflect.FullName("countersign.api.v1." + name)); err != nil {
			return err
		}
	}
	contract.types = found["ActivityType"].(protoreflect.EnumDescriptor)
	contract.intent = found["Intent"].(protoreflect.MessageDescriptor)
	contract.result = found["Result"].(protoreflect.MessageDescriptor)
	rule := found["FieldRule"].(protoreflect.MessageDescriptor).Fields().ByName(emptyIsAbsent)
	if rule == nil {
		return errors.New("the contract has no rule " + emptyIsAbsent)
	}
	contract.emptyIsAbsent = rule.Number()
	return nil
}

// memberOf returns the member of Intent or Result that has the number of an activity's type.
func memberOf(holder protoreflect.MessageDescriptor, activityType string) protoreflect.FieldDescriptor {
	value := contract.types.Values().ByName(protoreflect.Name(activityType))
	if value == nil {
		return nil
	}
	return holder.Fields().ByNumber(protoreflect.FieldNumber(value.Number()))
}

// clean returns the members that a message knows, under their JSON names and without nulls.
func clean(message protoreflect.MessageDescriptor, members object) object {
	known := object{}
	for name, value := range members {
		field := message.Fields().ByJSONName(name)
		if field == nil {
			field = message.Fields().ByName(protoreflect.Name(name))
		}
		if field == nil || value == nil || value == "" && isAbsentIfEmpty(field) {
			continue
		}
		known[field.JSONName()] = cleanValue(field, value)
	}
	return known
}

func cleanValue(field protoreflect.FieldDescriptor, value any) any {
	message := field.Message()
	if field.IsMap() || message == nil || message.FullName().Parent() != "countersign.api.v1" {
		return value
	}
	switch shaped := value.(type) {
	case object:
		return clean(message, shaped)
	case []any:
		items := make([]any, len(shaped))
		for index, item := range shaped {
			items[index] = item
			if one, isObject := item.(object); isObject {
				items[index] = clean(message, one)
			}
		}
		return items
	}
	return value
}

// isAbsentIfEmpty reads the rule of a field from its options, whose extension Go does not know.
func isAbsentIfEmpty(field protoreflect.FieldDescriptor) bool {
	options := field.Options().ProtoReflect().GetUnknown()
	rule, isThere := lastField(options, ruleOption)
	if !isThere {
		return false
	}
	value, isThere := lastField(rule, contract.emptyIsAbsent)
	return isThere && len(value) == 1 && value[0] == 1
}

// encode writes an object as the message that it shows, its fields in the order of their numbers. It takes only the spelling of
// the API: JSON names, names of enum values, and every list, text, number and truth value of a message that is there.
func encode(message protoreflect.MessageDescriptor, members object) ([]byte, error) {
	fields := make([]protoreflect.FieldDescriptor, 0, message.Fields().Len())
	for index := range message.Fields().Len() {
		fields = append(fields, message.Fields().Get(index))
	}
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	var wire []byte
	used := 0
	for _, field := range fields {
		value, isThere := members[field.JSONName()]
		if !isThere {
			if field.IsList() || field.IsMap() || !field.HasPresence() && field.Enum() == nil {
				return nil, fmt.Errorf("the result lacks %s", field.JSONName())
			}
			continue
		}
		used++
		bytes, err := encodeField(field, value)
		if err != nil {
			return nil, err
		}
		wire = append(wire, bytes...)
	}
	if used != len(members) {
		return nil, errors.New("the result has members that are unknown")
	}
	return wire, nil
}

func encodeField(field protoreflect.FieldDescriptor, value any) ([]byte, error) {
	if field.IsMap() || field.IsList() && field.IsPacked() {
		return nil, fmt.Errorf("%s is of a kind that no result has", field.FullName())
	}
	if !field.IsList() {
		return encodeItem(field, value, field.HasPresence())
	}
	items, isList := value.([]any)
	if !isList {
		return nil, fmt.Errorf("%s is no list", field.JSONName())
	}
	var wire []byte
	for _, item := range items {
		bytes, err := encodeItem(field, item, true)
		if err != nil {
			return nil, err
		}
		wire = append(wire, bytes...)
	}
	return wire, nil
}

// encodeItem writes one value. `isKept`: its default is written too.
func encodeItem(field protoreflect.FieldDescriptor, value any, isKept bool) ([]byte, error) {
	fault := fmt.Errorf("%s is not written as the API writes it", field.JSONName())
	tag := uint64(field.Number()) << 3
	switch field.Kind() {
	case protoreflect.MessageKind:
		members, isObject := value.(object)
		if !isObject {
			return nil, fault
		}
		bytes, err := encode(field.Message(), members)
		return lengthDelimited(tag, bytes), err
	case protoreflect.StringKind, protoreflect.BytesKind:
		text, isText := value.(string)
		bytes := []byte(text)
		if isText && field.Kind() == protoreflect.BytesKind {
			var err error
			if bytes, err = decode(text, base64.StdEncoding); err != nil {
				return nil, fault
			}
		}
		if !isText {
			return nil, fault
		}
		if len(bytes) == 0 && !isKept {
			return nil, nil
		}
		return lengthDelimited(tag, bytes), nil
	}
	number, err := varintOf(field, value)
	if err != nil {
		return nil, fault
	}
	if number == 0 && !isKept {
		return nil, nil
	}
	return append(varint(tag), varint(number)...), nil
}

func varintOf(field protoreflect.FieldDescriptor, value any) (uint64, error) {
	fault := errors.New("no number")
	switch field.Kind() {
	case protoreflect.BoolKind:
		if truth, isBool := value.(bool); isBool && truth {
			return 1, nil
		} else if isBool {
			return 0, nil
		}
	case protoreflect.EnumKind:
		name, isText := value.(string)
		if found := field.Enum().Values().ByName(protoreflect.Name(name)); isText && found != nil && found.Number() > 0 {
			return uint64(found.Number()), nil
		}
	case protoreflect.Int32Kind, protoreflect.Uint32Kind:
		number, isNumber := value.(json.Number)
		if read, err := strconv.ParseInt(string(number), 10, 64); isNumber && err == nil && read <= math.MaxUint32 {
			return uint64(read), nil
		}
	case protoreflect.Int64Kind, protoreflect.Uint64Kind:
		text, isText := value.(string)
		if read, err := strconv.ParseInt(text, 10, 64); isText && err == nil && strconv.FormatInt(read, 10) == text {
			return uint64(read), nil
		}
	}
	return 0, fault
}

func lengthDelimited(tag uint64, bytes []byte) []byte {
	return append(append(varint(tag|2), varint(uint64(len(bytes)))...), bytes...)
}

// lastField returns the bytes of the last field of a number: of a varint its bytes, else what its length covers.
func lastField(wire []byte, number protoreflect.FieldNumber) ([]byte, bool) {
	var found []byte
	isThere := false
	for len(wire) > 0 {
		tag, rest := readVarint(wire)
		_, behind := readVarint(rest)
		value := rest[:len(rest)-len(behind)]
		if tag&7 == 2 {
			length, after := readVarint(rest)
			value, behind = after[:length], after[length:]
		}
		if protoreflect.FieldNumber(tag>>3) == number {
			found, isThere = value, true
		}
		wire = behind
	}
	return found, isThere
}

func readVarint(bytes []byte) (uint64, []byte) {
	value, shift := uint64(0), 0
	for index, one := range bytes {
		value |= uint64(one&127) << shift
		if one < 128 {
			return value, bytes[index+1:]
		}
		shift += 7
	}
	return value, nil
}

func isSame(one, other any) bool {
	return reflect.DeepEqual(one, other)
}
