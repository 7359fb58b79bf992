// Approvers of the auth proxy's settings read which pages may then use it.
import t from "tap"
import { wordsOf } from "./reading.ts"

const OPEN = /pages of every origin may use it/
const sentenceOf = (parameters: object) => wordsOf("UPDATE_AUTH_PROXY_CONFIG", parameters).sentence

t.test("enabling says that pages of every origin are served unless origins are listed", async (t) => {
  const { sentence, line } = wordsOf("ENABLE_AUTH_PROXY", {})
  for (const text of [sentence, line])
    t.equal(
      text,
      "Switch the auth proxy on: pages of every origin may use it unless its settings list origins",
    )
})

t.test("a change that lists no origin, or all of them, says so; another does not", async (t) => {
  for (const open of [
    { resetMembers: ["allowedOrigins"] },
    { reset_members: ["otpLength", "allowedOrigins"] },
    { allowedOrigins: ["*"] },
    { allowedOrigins: ["https://app.example", "*"], resetMembers: ["allowedOrigins"] },
  ])
    t.match(sentenceOf(open), OPEN, JSON.stringify(open))
  for (const closed of [
    {},
    { allowedOrigins: ["https://app.example"] },
    { allowedOrigins: [], otpLength: 8 },
    { allowedOrigins: ["https://app.example"], resetMembers: ["allowedOrigins"] },
    { resetMembers: ["otpLength"] },
  ])
    t.notMatch(sentenceOf(closed), OPEN, JSON.stringify(closed))
})
