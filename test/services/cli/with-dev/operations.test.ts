// Wallets' secrets, signatures and trials of policies, against a development system. viem judges addresses and signatures.
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { mnemonicToAccount } from "viem/accounts"
import { recoverAddress, verifyTypedData } from "viem"
import { devOrganization } from "./shared-dev.ts"

const MNEMONIC = "test test test test test test test test test test test junk"

t.test("operations", async (t) => {
  const { call, directory, address } = await devOrganization(t)
  const folder = t.testdir()
  const at = (name: string) => join(folder, name)

  await t.test("a mnemonic is imported, sealed to the pinned signer, and exported again", async (t) => {
    writeFileSync(at("mnemonic"), `${MNEMONIC}\n`)
    const words = ["wallet", "import", "Recovered", "--account", "ethereum", "--file", at("mnemonic")]
    const dry = await call(...words, "--dry-run")
    t.match(dry, { status: 0, log: /nothing was sent/ })
    const imported = await call(...words)
    t.match(
      imported,
      { status: 0, out: mnemonicToAccount(MNEMONIC).address },
      "the address that viem derives",
    )
    t.match(await call(...words), { status: 2, log: /there is a wallet Recovered/ })
    const exported = await call("wallet", "export", "Recovered", "--out", at("exported"))
    t.match(exported, { status: 0, out: /mode 0600/ })
    t.equal(readFileSync(at("exported"), "utf8"), MNEMONIC)
    t.equal(statSync(at("exported")).mode & 0o777, 0o600)
    t.notMatch(dry.out + dry.log + imported.out + imported.log + exported.out + exported.log, "junk")
    t.match(await call("wallet", "export", "Recovered", "--out", at("exported")), {
      status: 2,
      log: /exists/,
    })
    t.equal((await call("wallet", "export", "Recovered", "--out", "-")).out, MNEMONIC)
  })

  await t.test("with other pins nothing is sealed, and an export is not opened", async (t) => {
    const pins = JSON.parse(readFileSync(join(directory, "pins.json"), "utf8"))
    const other = {
      ...pins,
      signerPublicKey: pins.signerPublicKey.slice(0, 130) + pins.signerPublicKey.slice(0, 130),
    }
    writeFileSync(at("pins"), JSON.stringify(other))
    writeFileSync(at("second"), MNEMONIC)
    const words = ["wallet", "import", "Other", "--file", at("second"), "--pins", at("pins")]
    t.match(await call(...words), { status: 6, log: /not signed by the signer of the pins/ })
    t.match(await call("wallet", "export", "First", "--out", "-", "--pins", at("pins")), {
      status: 6,
      out: "",
    })
    t.notMatch((await call("wallet", "list")).out, "Other")
  })

  await t.test("signatures are those that viem verifies", async (t) => {
    const signed = await call("sign", "message", "12 apples", "--with", "First")
    t.match(await call("verify", "signature", "12 apples", signed.out, "--address", address), {
      status: 0,
      out: /verified/,
    })
    t.match(await call("verify", "signature", "13 apples", signed.out, "--address", address), { status: 6 })
    t.match(await call("verify", "signature", "12 apples", "0x12", "--address", address), { status: 2 })
    const typed = {
      domain: { name: "Permit", chainId: 1 },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "chainId", type: "uint256" },
        ],
        Pay: [{ name: "amount", type: "uint256" }],
      },
      primaryType: "Pay",
      message: { amount: "7" },
    } as const
    writeFileSync(at("typed.json"), JSON.stringify(typed))
    const { out } = await call("sign", "typed-data", at("typed.json"), "--with", address)
    const domain = { name: "Permit", chainId: 1n }
    const message = { amount: 7n }
    t.ok(await verifyTypedData({ ...typed, domain, message, address, signature: out as `0x${string}` }))
    t.match(await call("sign", "typed-data", at("mnemonic"), "--with", "First"), {
      status: 2,
      log: /not typed data/,
    })
    const hash = `0x${"a1".repeat(32)}` as const
    const digest = await call("sign", "digest", hash, "--with", "First")
    t.match(digest.log, /nobody can see what it stands for/)
    t.equal(await recoverAddress({ hash, signature: digest.out as `0x${string}` }), address)
    t.match(await call("sign", "digest", "a1", "--with", "First"), {
      status: 2,
      log: /64 hexadecimal digits/,
    })
    t.match(await call("sign", "message", "x"), { status: 2, log: /--with NAME/ })
    t.match(await call("sign", "message", "x", "--with", "Frist"), { status: 2, log: /did you mean First\?/ })
  })

  await t.test("policies are simulated and replayed, without effect", async (t) => {
    const parameters = JSON.stringify({ walletName: "A", accounts: [] })
    const words = ["policy", "simulate", "--type", "create_wallet", "--parameters", parameters]
    t.match(await call(...words), { status: 0, out: /^policies now: allowed/ })
    t.match(await call(...words, "--by", "alice"), { status: 0, out: /^policies now: no policy allows it/ })
    const policies = [{ policyName: "all", effect: "EFFECT_ALLOW", condition: "true", consensus: "true" }]
    writeFileSync(at("policies.json"), JSON.stringify({ policies }))
    t.match(await call(...words, "--by", "alice", "--file", at("policies.json")), {
      status: 0,
      out: /^policies now: allowed[^]*policy \[all\] {2}allows/,
    })
    t.match(await call("policy", "replay", at("policies.json")), {
      status: 0,
      out: /^\d+ of \d+ recent activities/m,
    })
    const listed = await call("policy", "list")
    t.equal(listed.out.match(/ allow$/gm)?.length, 1, "the auth proxy's alone")
    t.match(listed, { status: 0, out: /^Auth proxy /m })
    t.match(await call("policy", "simulate", "--type", "create_wallet", "--parameters", "["), { status: 2 })
  })
})
