import t from "tap"
import { ApiFault } from "../../../../services/dashboard/api/client.ts"
import { sentenceOfFault } from "../../../../services/dashboard/words/faults.ts"

t.test("faults of the browser say what to do, and not where the standard is", (t) => {
  const text = "The operation either timed out or was not allowed. See: https://www.w3.org/TR/webauthn-2/#x"
  for (const name of [
    "NotAllowedError",
    "InvalidStateError",
    "NotSupportedError",
    "SecurityError",
    "AbortError",
  ]) {
    const sentence = sentenceOfFault(new DOMException(text, name))
    t.match(sentence, /passkey/i, name)
    t.notMatch(sentence, "w3.org", name)
  }
  t.equal(sentenceOfFault(new DOMException("the disk is full", "QuotaExceededError")), "the disk is full")
  t.end()
})

t.test("texts that published clients match are followed by no ids, but by what to do", (t) => {
  const literal =
    "could not find public key in organization or its parent organization: organizationId=1 publicKey=02"
  for (const reason of ["CREDENTIAL_UNKNOWN", "PASSKEY_UNKNOWN", "IDENTITY_UNKNOWN", "CREDENTIAL_EXPIRED"])
    t.notMatch(sentenceOfFault(new ApiFault(literal, { reason })), "organizationId=", reason)
  t.equal(sentenceOfFault(new ApiFault("the name is taken", { reason: "NAME_TAKEN" })), "the name is taken")
  t.equal(sentenceOfFault(new Error("no answer")), "no answer")
  t.end()
})
