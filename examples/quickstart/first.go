// Signs a message with the standard library, and prints r, s and v of the signature.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	reply := submit("sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", map[string]string{
		"signWith":     os.Getenv("SIGN_WITH"),
		"payload":      "pay the supplier",
		"encoding":     "PAYLOAD_ENCODING_TEXT_UTF8",
		"hashFunction": "HASH_FUNCTION_KECCAK256",
	})
	var signed struct {
		Activity struct {
			Status string
			Result struct {
				SignRawPayloadResult struct{ R, S, V string }
			}
		}
	}
	must(json.Unmarshal(reply, &signed))
	if signed.Activity.Status != "ACTIVITY_STATUS_COMPLETED" {
		must(fmt.Errorf("nothing is signed yet: %s", reply))
	}
	result := signed.Activity.Result.SignRawPayloadResult
	fmt.Println(result.R, result.S, result.V)
}

// submit sends one activity. The bytes that are sent are stamped.
func submit(path, kind string, parameters any) []byte {
	body := value(json.Marshal(map[string]any{
		"type":           kind,
		"timestampMs":    strconv.FormatInt(time.Now().UnixMilli(), 10),
		"organizationId": os.Getenv("ORGANIZATION_ID"),
		"parameters":     parameters,
	}))
	url := os.Getenv("BASE_URL") + "/public/v1/submit/" + path
	request := value(http.NewRequest("POST", url, bytes.NewReader(body)))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Stamp", stamp(body))
	response := value(http.DefaultClient.Do(request))
	defer response.Body.Close()
	reply := value(io.ReadAll(response.Body))
	if response.StatusCode != http.StatusOK {
		must(fmt.Errorf("%s: %s", response.Status, reply))
	}
	return reply
}

// stamp signs the body's SHA-256 with the P-256 key of the user.
func stamp(body []byte) string {
	secret := value(hex.DecodeString(os.Getenv("API_PRIVATE_KEY")))
	key := value(ecdsa.ParseRawPrivateKey(elliptic.P256(), secret))
	digest := sha256.Sum256(body)
	stamp := value(json.Marshal(map[string]string{
		"publicKey": os.Getenv("API_PUBLIC_KEY"),
		"scheme":    "SIGNATURE_SCHEME_TK_API_P256",
		"signature": hex.EncodeToString(value(ecdsa.SignASN1(rand.Reader, key, digest[:]))),
	}))
	return base64.RawURLEncoding.EncodeToString(stamp)
}

func value[T any](result T, err error) T {
	must(err)
	return result
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
