// The API tier asks for a code whose message cannot be delivered, and guesses it while the message is on its way.
import t from "tap"
import { valueOf } from "../harness/api-client.ts"
import { asking, codes, MAIL, WRONG } from "../harness/otp.ts"
import { relayed } from "./relayed.ts"
import { setup } from "./setup.ts"

const UNDELIVERED = { code: "OTP_DELIVERY_FAILED" }

t.test(
  "O2: a code that was guessed at while it was sent stays counted, and none is made under its id",
  async (t) => {
    const fixture = await setup(t)
    const { attempt, startPlain } = await codes(fixture)
    const { fakeFetcher } = fixture
    fakeFetcher.deliveryFault = new Error("451 try again later")
    const guessed = async () => {
      const init = relayed(fixture, "INIT_OTP_V2", asking())
      const [first, second] = [await init.order(), await init.order()]
      let otpId = ""
      fakeFetcher.duringDelivery = async () => {
        fakeFetcher.duringDelivery = undefined
        // The second order of the activity finds the code, and its statement says which id it has.
        const answer = await init.send(await fakeFetcher.fetch(second))
        if (answer.is !== "outcome") throw new Error(`no code was started: ${answer.is}`)
        otpId = valueOf(answer.outcome, "initOtpResult").otpId
        for (const otpCode of ["AAAAAAAAA", "BBBBBBBBB", "CCCCCCCCC"])
          t.match(await attempt("VERIFY_OTP", { otpId, otpCode }), WRONG)
      }
      await t.rejects(fakeFetcher.fetch(first), UNDELIVERED)
      t.not(otpId, "")
    }
    for (let round = 0; round < 3; round++) await guessed()
    fakeFetcher.deliveryFault = undefined
    t.match(
      await attempt("INIT_OTP_V2", asking()),
      { is: "refused", code: "OTP_LIMIT_EXCEEDED" },
      `three for ${MAIL}`,
    )
    t.ok(await startPlain({ contact: "bob@example.com" }), "another contact has its own")
    t.equal(fakeFetcher.messages.length, 1)
  },
)
