import { readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Command } from "commander"
import { generateApiKey } from "./api-key.ts"
import type { NewOrganization } from "./commands/org-create.ts"
import type { InboxOptions } from "./commands/dev-inbox.ts"
import type { RejectOptions } from "./commands/reject.ts"
import { request, requireOrganization } from "./commands/request.ts"
import { whoami } from "./commands/whoami.ts"
import type { SendOptions } from "./commands/send.ts"
import type { SignTransactionOptions } from "./commands/sign-transaction.ts"
import type { SecretToSeal } from "./commands/seal.ts"
import type { DevOptions } from "./dev/start-dev-system.ts"
import { writeKey } from "./key-folder.ts"
import { packageRoot, readSettings } from "./settings.ts"
import { type StampOptions, type ApiOptions, clientOf, findStampingKey } from "./api-options.ts"
import { printResult, type Terminal } from "./terminal.ts"

type RequestOptions = StampOptions & { submit?: string; prove?: true }
type VerifyOptions = StampOptions & { bootProof?: string; pins?: readonly string[]; codeDigest?: string }

/**
 * The commands of `countersign`, which speaks HTTP only. Each command loads its own slow modules, such as the policy
 * evaluator and the proof verifier.
 */
export function buildProgram(
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
  logFault: Terminal["log"] = terminal.log,
): Command {
  const settings = () => readSettings(environment)
  const program = new Command("countersign")
    .description("Calls a Countersign API, and runs a development system.")
    .version(ownVersion(), "--version", "print the version")
    .helpOption("-h, --help", "explain the command")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (help) => help.trimEnd().split("\n").forEach(terminal.print),
      writeErr: (fault) => fault.trimEnd().split("\n").forEach(logFault),
    })
    .addHelpText(
      "after",
      `\nExit status: 0 done, 1 fault, 2 usage, 3 refused, 4 waits for approval, 5 unreachable or locked, 6 verification failed`,
    )

  program
    .command("help [command...]")
    .description("explain a command")
    .option("--json", "print the explanation as JSON")
    .action((names: readonly string[], { json = false }: { json?: boolean }) => {
      const command = findCommand(program, names)
      if (json) terminal.print(JSON.stringify({ help: command.helpInformation() }))
      else command.help()
    })

  const devCommand = program
    .command("dev")
    .description("run a development system: database, signer, fetcher, API and auth proxy")
    .option("--reset", "delete all data first")
    .option("--no-seed", "do not create organization Dev")
    .action(async (options: DevOptions) => {
      const { dev } = await import("./dev/dev.ts")
      await dev({ options, environment, terminal })
    })
  devCommand
    .command("inbox")
    .description("print the mails and text messages of the development system, the newest first")
    .option("--watch", "go on with those that come")
    .option("--json", "print each message on one line")
    .action(async (options: InboxOptions) => {
      const { devInbox } = await import("./commands/dev-inbox.ts")
      const { layout } = await import("./dev/layout.ts")
      await devInbox(layout(settings().dataDirectory).outbox, options, terminal)
    })

  const org = program.command("org").description("organizations")
  common(org.command("create <name>").description("create a top-level organization"))
    .requiredOption("--setup-code <code>", "setup code printed by `countersign-signer setup-code`")
    .requiredOption("--user-name <name>", "name of its first user, the only member of the root quorum")
    .option("--user-email <address>", "that user's e-mail address")
    .option("--api-public-key <hex>", "that user's API key; by default a new one is printed once")
    .option("--stamp-key <file>", "file of the private key that the code is bound to; - for standard input")
    .action(async (name: string, options: ApiOptions & Omit<NewOrganization, "name">) => {
      const { keysFolder, pinsFile } = settings()
      const place = { keysFolder: options.keysFolder ?? keysFolder, pinsFile, terminal }
      const { createOrganization } = await import("./commands/org-create.ts")
      const created = await createOrganization({ name, ...options }, clientOf(options, settings()), place)
      printResult(terminal, created, options)
    })

  const keys = program.command("key").description("API keys of the keys folder")
  common(keys.command("generate <name>").description("create a P-256 API key")).action(
    async (name: string, options: ApiOptions) => {
      const folder = options.keysFolder ?? settings().keysFolder
      printResult(terminal, await writeKey(folder, name, generateApiKey()), options)
    },
  )

  as(common(program.command("whoami").description("show the user and organization of a key"))).action(
    async (options: StampOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const client = { ...clientOf(options, settings()), key }
      const reply = await whoami(client, requireOrganization(organizationId))
      printResult(terminal, reply, options)
    },
  )

  as(
    common(
      program
        .command("request <path> [body]")
        .description("stamp and send any request; body - for standard input"),
    ),
  )
    .option("--submit <type>", "send the body as the parameters of an activity of this type")
    .option("--prove", "request app proofs of that activity")
    .action(async (path: string, body: string | undefined, options: RequestOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const order = {
        path,
        body: body === "-" ? await text(process.stdin) : (body ?? "{}"),
        ...(organizationId !== undefined && { organizationId }),
        ...(options.submit !== undefined && { submitType: options.submit }),
        ...(options.prove && { prove: options.prove }),
      }
      await request(order, { ...clientOf(options, settings()), key }, options, terminal)
    })

  as(
    common(
      program.command("reject").description("reject the waiting activities that match all given options"),
    ),
  )
    .option("--type <type...>", "activities of these types")
    .option("--by <userId>", "activities that this user submitted")
    .option("--older-than <hours>", "activities that were submitted before")
    .option("--all", "all waiting activities")
    .option("--dry-run", "print what would be rejected, and reject nothing")
    .action(async (options: StampOptions & RejectOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const client = { ...clientOf(options, settings()), key }
      const { rejectWaiting } = await import("./commands/reject.ts")
      await rejectWaiting(options, client, requireOrganization(organizationId), terminal)
    })

  as(common(program.command("send").description("have a transaction signed, broadcast and followed")))
    .requiredOption("--chain <caip2>", "chain, such as eip155:1")
    .requiredOption("--from <address>", "account that pays")
    .requiredOption("--to <address>", "account or contract")
    .option("--value <wei>", "amount in wei")
    .option("--data <hex>", "call data")
    .option("--nonce <number>", "nonce; by default the account's next one")
    .option("--gas-limit <units>", "gas units; estimated by default")
    .option("--max-fee-per-gas <wei>", "greatest fee for each unit; by default that of the moment")
    .option("--max-priority-fee-per-gas <wei>", "greatest tip for each unit")
    .option("--no-wait", "do not wait until it is included")
    .action(async (options: StampOptions & SendOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const client = { ...clientOf(options, settings()), key }
      const { send } = await import("./commands/send.ts")
      await send(options, client, requireOrganization(organizationId), terminal)
    })

  const sign = program.command("sign").description("signatures")
  as(
    common(
      sign.command("transaction <hex>").description("sign an unsigned transaction; - for standard input"),
    ),
  )
    .requiredOption("--sign-with <address>", "account or private key that signs")
    .option("--type <chain>", "ethereum, solana, tron or bitcoin", "ethereum")
    .action(async (hex: string, options: StampOptions & SignTransactionOptions) => {
      const { key, organizationId } = await findStampingKey(options, settings())
      const unsigned = hex === "-" ? (await text(process.stdin)).trim() : hex
      const { signTransaction } = await import("./commands/sign-transaction.ts")
      await signTransaction(unsigned, options, {
        client: { ...clientOf(options, settings()), key },
        organizationId: requireOrganization(organizationId),
        terminal,
      })
    })

  const chain = program.command("chain").description("chains of COUNTERSIGN_CHAINS")
  chain
    .command("status")
    .description("ask the nodes of each chain, from this host")
    .option("--json", "print the result on one line")
    .action(async (options: { json?: boolean }) => {
      const { chainStatus } = await import("./commands/chain-status.ts")
      await chainStatus(environment, options, terminal)
    })

  const policy = program
    .command("policy")
    .description("evaluate policies offline with the signer's evaluator")
  policy
    .command("test <file>")
    .description("decide the cases of a test file (docs/policy-tests.md)")
    .option("--json", "print the result on one line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { testPolicies } = await import("./commands/policy.ts")
      await testPolicies(file, options, terminal)
    })
  policy
    .command("check <file>")
    .description("list expressions that would be refused, and likely mistakes")
    .option("--json", "print the result on one line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkPolicies } = await import("./commands/policy.ts")
      await checkPolicies(file, options, terminal)
    })

  const seal = program.command("seal").description("seal secrets to the pinned deployment")
  const sealing = (
    command: string,
    description: string,
    sealed: (secret: SecretToSeal) => Promise<{ [member: string]: string }>,
  ) => {
    as(common(seal.command(`${command} <file>`).description(description)))
      .option("--pins <file>", "pins of the trusted deployment; by default those of the profile")
      .action(async (file: string, options: StampOptions & { pins?: string }) => {
        const organizationId =
          options.organization ?? (await findStampingKey(options, settings())).organizationId
        const result = await sealed({
          file,
          organizationId: requireOrganization(organizationId),
          pinsFile: options.pins ?? settings().pinsFile,
        })
        if (options.json) printResult(terminal, result, options)
        else Object.values(result).forEach(terminal.print)
      })
  }
  sealing(
    "client-secret",
    "seal an OAuth 2.0 client secret for one organization; - for standard input",
    async (secret) => {
      const { sealClientSecret } = await import("./commands/seal.ts")
      return { encryptedClientSecret: await sealClientSecret(secret) }
    },
  )
  sealing(
    "on-ramp-key",
    "seal a key of an on-ramp provider for one organization; - for standard input",
    async (secret) => {
      const { sealOnRampKey } = await import("./commands/seal.ts")
      return { encryptedApiKey: await sealOnRampKey(secret) }
    },
  )

  const verify = program.command("verify").description("verify against the pins")
  as(
    common(
      verify
        .command("proof <file>")
        .description("list what an activity's app proofs prove; - for standard input"),
    ),
  )
    .option("--boot-proof <file>", "boot proof of the signing process; by default fetched from the API")
    .option("--pins <file>", "pins of the trusted deployment, today's first; repeatable", collect)
    .option("--code-digest <hex>", "expected digest of the signer's code")
    .action(async (file: string, options: VerifyOptions) => {
      const { pinsFile } = settings()
      const { bootProof, codeDigest, json } = options
      const files = {
        file,
        pins: options.pins,
        pinsFile,
        ...(bootProof !== undefined && { bootProof }),
        ...(codeDigest !== undefined && { codeDigest }),
        ...(json !== undefined && { json }),
      }
      const source = async () => {
        const { key, organizationId } = await findStampingKey(options, settings())
        return {
          client: { ...clientOf(options, settings()), key },
          organizationId: requireOrganization(organizationId),
        }
      }
      const { verifyProof } = await import("./commands/verify-proof.ts")
      await verifyProof(files, source, terminal)
    })
  return program
}

/** The command with this path of names, such as `policy test`. @throws {CommanderError} unknown command */
function findCommand(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((each) => each.name() === name)
    return found ?? command.error(`error: unknown command '${name}'; see --help`)
  }, program)
}

/** Values of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function common(command: Command): Command {
  return command
    .option("--api <url>", "base URL of the API; by default the local one")
    .option("--keys-folder <directory>", "folder of the key files")
    .option("--json", "print the result on one line")
}

function as(command: Command): Command {
  return command
    .option("--as <name>", "stamp with this key of the keys folder (name or prefix)", "root")
    .option("--organization <id>", "organization id; by default that of the key")
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    version: string
  }
  return version
}
