package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const contextTag = "countersign/v1/decision-context\x00"
const approved, rejected = "VOTE_SELECTION_APPROVED", "VOTE_SELECTION_REJECTED"

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
var fingerprint = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// activity is an activity as the API shows it. Nothing of it is trusted.
type activity struct {
	object
	votes       []object
	fingerprint string
	result      []byte
	hasResult   bool
}

var outcomesOf = map[string][]string{
	"ACTIVITY_STATUS_COMPLETED":             {"OUTCOME_ALLOW"},
	"ACTIVITY_STATUS_FAILED":                {"OUTCOME_ALLOW", "OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"},
	"ACTIVITY_STATUS_REJECTED":              {"OUTCOME_REJECTED"},
	"ACTIVITY_STATUS_CONSENSUS_NEEDED":      {"OUTCOME_REQUIRES_CONSENSUS"},
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED": {"OUTCOME_REQUIRES_AUTHENTICATORS"},
}

// readActivity reads what is shown and compares it with the stamped body (app-proofs.md, "To verify", 5 and 7).
func readActivity(members object) (*activity, error) {
	shown := &activity{object: members, fingerprint: textIn(members, "fingerprint")}
	votes, _ := members["votes"].([]any)
	for _, vote := range votes {
		one, _ := vote.(object)
		shown.votes = append(shown.votes, one)
	}
	if !fingerprint.MatchString(shown.fingerprint) || len(shown.votes) == 0 {
		return nil, errors.New("no fingerprint, or no vote")
	}
	if !uuid.MatchString(textIn(members, "id")) || !uuid.MatchString(textIn(members, "organizationId")) {
		return nil, errors.New("an id is no UUID")
	}
	if err := shown.readRequest(); err != nil {
		return nil, err
	}
	for _, vote := range shown.votes {
		if err := shown.verifyVote(vote); err != nil {
			return nil, err
		}
	}
	return shown, shown.readResult()
}

// readRequest compares type and intent with the body, the message of the first vote.
func (shown *activity) readRequest() error {
	body := textIn(shown.votes[0], "message")
	if !shown.isOwn(body) {
		return errors.New("the body has another fingerprint")
	}
	request, err := readObject([]byte(body))
	if err != nil {
		return err
	}
	kind := textIn(request, "type")
	member := memberOf(contract.intent, kind)
	if member == nil || kind != textIn(shown.object, "type") {
		return errors.New("the body is of another type")
	}
	parameters, isObject := request["parameters"].(object)
	intent := object{member.JSONName(): clean(member.Message(), parameters)}
	if !isObject || !isSame(shown.object["intent"], intent) {
		return errors.New("the body asks for another intent")
	}
	return nil
}

func (shown *activity) isOwn(message string) bool {
	return "sha256:"+sha256Hex([]byte(message)) == shown.fingerprint
}

// selectionOf is what a stamped text says about the activity; "": nothing.
func (shown *activity) selectionOf(message string) string {
	if shown.isOwn(message) {
		return approved
	}
	vote, err := readObject([]byte(message))
	if err != nil || strings.ToLower(textIn(vote, "organizationId")) != textIn(shown.object, "organizationId") {
		return ""
	}
	named := textIn(objectIn(vote, "parameters"), "fingerprint")
	if named != shown.fingerprint && "sha256:"+named != shown.fingerprint {
		return ""
	}
	switch textIn(vote, "type") {
	case "ACTIVITY_TYPE_APPROVE_ACTIVITY":
		return approved
	case "ACTIVITY_TYPE_REJECT_ACTIVITY":
		return rejected
	}
	return ""
}

func (shown *activity) verifyVote(vote object) error {
	user := textIn(vote, "userId")
	selection := shown.selectionOf(textIn(vote, "message"))
	switch {
	case !uuid.MatchString(user):
		return errors.New("a voter's id is no UUID")
	case selection == "" || selection != textIn(vote, "selection"):
		return errors.New("a vote is about another activity, or says something else")
	case textIn(vote, "activityId") != textIn(shown.object, "id") || textIn(objectIn(vote, "user"), "userId") != user:
		return errors.New("a vote names another activity or user")
	case !isStamped(vote):
		return errors.New("a vote's stamp does not cover its message")
	}
	return nil
}

func (shown *activity) readResult() (err error) {
	result, isThere := shown.object["result"]
	members, isObject := result.(object)
	if isThere && !isObject {
		return errors.New("the result is no object")
	}
	if len(members) == 0 {
		return nil
	}
	shown.hasResult = true
	shown.result, err = encode(contract.result, members)
	return err
}

// verifyOutcome verifies a policy outcome (6), with the activity that it decided where one is shown.
func verifyOutcome(outcome object, shown *activity) error {
	approvals := listIn(outcome, "userRequestApprovals")
	for _, approval := range approvals {
		if !isStamped(approval) {
			return errors.New("a counted stamp does not cover its message")
		}
	}
	if shown == nil {
		return nil
	}
	if textIn(outcome, "organizationId") != textIn(shown.object, "organizationId") {
		return errors.New("the decision is about another organization")
	}
	others := slices.Clone(shown.votes)
	var voters []string
	for _, approval := range approvals {
		index := slices.IndexFunc(others, func(vote object) bool { return hasStamp(vote, approval) })
		if index < 0 || shown.selectionOf(textIn(approval, "message")) != approved {
			return errors.New("a counted stamp has no vote")
		}
		voters = append(voters, textIn(others[index], "userId"))
		others = slices.Delete(others, index, index+1)
	}
	if shown.contextDigest(voters) != textIn(outcome, "decisionContextDigest") {
		return errors.New("another activity was decided")
	}
	return shown.verifyStatus(textIn(outcome, "outcome"), others)
}

func hasStamp(vote, approval object) bool {
	for _, name := range []string{"scheme", "publicKey", "message", "signature"} {
		if textIn(vote, name) != textIn(approval, name) {
			return false
		}
	}
	return true
}

func (shown *activity) verifyStatus(outcome string, others []object) error {
	status := textIn(shown.object, "status")
	if !slices.Contains(outcomesOf[status], outcome) || (status == "ACTIVITY_STATUS_COMPLETED") != shown.hasResult {
		return fmt.Errorf("%s does not lead to %s", outcome, status)
	}
	isRejection := func(vote object) bool { return textIn(vote, "selection") == rejected }
	if status == "ACTIVITY_STATUS_REJECTED" && !slices.ContainsFunc(others, isRejection) {
		return errors.New("the rejecting vote is not shown")
	}
	return nil
}

// contextDigest is decisionContextDigest of app-proofs.md, "Digests".
func (shown *activity) contextDigest(voters []string) string {
	var result []byte
	if shown.hasResult {
		digest := sha256.Sum256(shown.result)
		result = digest[:]
	}
	body, _ := hex.DecodeString(strings.TrimPrefix(shown.fingerprint, "sha256:"))
	parts := [][]byte{
		[]byte(textIn(shown.object, "organizationId")),
		[]byte(textIn(shown.object, "id")),
		[]byte(textIn(shown.object, "type")),
		body,
		[]byte(textIn(shown.votes[0], "userId")),
		result,
	}
	for _, voter := range voters {
		parts = append(parts, []byte(voter))
	}
	text := []byte(contextTag)
	for _, part := range parts {
		text = append(binary.BigEndian.AppendUint32(text, uint32(len(part))), part...)
	}
	return sha256Hex(text)
}

// verifyAddress finds a proven address in the result of the activity (8).
func verifyAddress(statement object, shown *activity) error {
	if shown == nil {
		return nil
	}
	organizations := []string{textIn(shown.object, "organizationId")}
	for _, result := range objectIn(shown.object, "result") {
		if members, isObject := result.(object); isObject {
			organizations = append(organizations, textIn(members, "subOrganizationId"))
		}
	}
	address := textIn(statement, "address")
	isListed := slices.Contains(addressesIn(objectIn(shown.object, "result")), address) || shown.unlisted() > 0
	if !slices.Contains(organizations, textIn(statement, "organizationId")) || !isListed {
		return errors.New("a proven address is none of the activity's")
	}
	return nil
}

// verifyAddresses finds a proof of each address that the activity stored.
func verifyAddresses(proven []string, shown *activity) error {
	for _, intent := range objectIn(shown.object, "intent") {
		if members, isObject := intent.(object); isObject && members["persist"] == false {
			return nil
		}
	}
	for _, address := range addressesIn(objectIn(shown.object, "result")) {
		if !slices.Contains(proven, address) {
			return errors.New("an address of the result has no proof")
		}
	}
	if unlisted := shown.unlisted(); unlisted > 0 && unlisted != len(proven) {
		return errors.New("there are fewer or more proofs than addresses")
	}
	return nil
}

// unlisted is the number of addresses that were asked for where the type of result lists none.
func (shown *activity) unlisted() int {
	member := memberOf(contract.result, textIn(shown.object, "type"))
	if member == nil || !shown.hasResult || hasAddresses(member.Message()) {
		return 0
	}
	return formatsIn(shown.object["intent"])
}

func hasAddresses(message protoreflect.MessageDescriptor) bool {
	for index := range message.Fields().Len() {
		field := message.Fields().Get(index)
		inner := field.Message()
		if field.JSONName() == "addresses" ||
			inner != nil && inner.FullName().Parent() == "countersign.api.v1" && hasAddresses(inner) {
			return true
		}
	}
	return false
}

func addressesIn(value any) []string {
	var found []string
	switch shaped := value.(type) {
	case []any:
		for _, item := range shaped {
			found = append(found, addressesIn(item)...)
		}
	case object:
		for name, member := range shaped {
			items, isList := member.([]any)
			if name != "addresses" || !isList {
				found = append(found, addressesIn(member)...)
				continue
			}
			for _, item := range items {
				if text, isText := item.(string); isText {
					found = append(found, text)
				} else if one, isObject := item.(object); isObject {
					found = append(found, textIn(one, "address"))
				}
			}
		}
	}
	return found
}

func formatsIn(value any) int {
	sum := 0
	switch shaped := value.(type) {
	case []any:
		for _, item := range shaped {
			sum += formatsIn(item)
		}
	case object:
		for name, member := range shaped {
			if items, isList := member.([]any); isList && name == "addressFormats" {
				sum += len(items)
			} else {
				sum += formatsIn(member)
			}
		}
	}
	return sum
}
