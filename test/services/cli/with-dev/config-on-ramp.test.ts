// Keys of on-ramp providers in an organization's file. The secret ones are in files of their own, and the running fetcher opens
// them.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { parse } from "yaml"
import { COINBASE_KEY_ID, coinbaseKey } from "../../../harness/on-ramp.ts"
import { MOONPAY, organizationWithFile } from "./config-fixture.ts"

t.test("keys of on-ramp providers: created, replaced with their secrets, deleted", async (t) => {
  const { call, json, apply, write, file, ofOnRamp, directory } = await organizationWithFile(t)
  const coinbase = {
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
    projectId: "project",
    publishableApiKey: "key",
  }
  const [id, key] = ["id.txt", "key.pem"].map((name) => join(directory, name))
  writeFileSync(id ?? "", COINBASE_KEY_ID)
  writeFileSync(key ?? "", coinbaseKey("ES256").text)
  const ofCoinbase = ["--on-ramp-secret", `coinbase=${id}`, "--on-ramp-private-key", `coinbase=${key}`]
  write({ fiatOnRampCredentials: [MOONPAY, coinbase] })
  t.match(await call("config", "diff", file), {
    status: 6,
    out: /create {2}on-ramp credential moonpay-sandbox\n.*\+ purchases with the publishable key pk_test_NotARealKey/,
  })
  t.match(await apply(...ofOnRamp, ...ofCoinbase.slice(0, 2)), {
    status: 2,
    log: /with --on-ramp-private-key coinbase=FILE\. Nothing was sent/,
  })
  const made = await apply(...ofOnRamp, ...ofCoinbase)
  t.equal(made.status, 0, made.log)
  t.notMatch(made.out + made.log, "NotARealKey0123")
  t.match(await apply(), { status: 0, out: /nothing to do/ }, "no secret is needed any more")

  const other = { ...MOONPAY, publishableApiKey: "pk_test_Another" }
  write({ fiatOnRampCredentials: [other] })
  t.match(await apply(), { status: 2, log: /--on-ramp-secret moonpay-sandbox=FILE/ })
  const kept = await apply(...ofOnRamp)
  t.match(kept, { status: 0, out: /update {2}on-ramp credential moonpay-sandbox/ })
  t.match(kept.out, /kept {4}on-ramp credential coinbase/)
  t.match(await json("on-ramp-credential", "show", "moonpay"), { publishableApiKey: "pk_test_Another" })
  t.match(await apply("--prune"), { status: 0, out: /delete {2}on-ramp credential coinbase/ })
  t.match(parse((await call("config", "export")).out), { fiatOnRampCredentials: [other] })
  write({ fiatOnRampCredentials: [other, { ...other, publishableApiKey: "pk_test_Third" }] })
  t.match(await call("config", "diff", file), {
    status: 2,
    log: /fiatOnRampCredentials\[1\]\.onrampProvider is "moonpay-sandbox" a second time/,
  })
})
