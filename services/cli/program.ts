import { readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Command } from "commander"
import { generateApiKey } from "./api-key.ts"
import type { NewOrganization } from "./commands/org-create.ts"
import { request, requireOrganization } from "./commands/request.ts"
import { whoami } from "./commands/whoami.ts"
import type { DevOptions } from "./dev/dev.ts"
import { writeKey } from "./key-folder.ts"
import { packageRoot, readSettings } from "./settings.ts"
import { type As, type Common, clientOf, signIn } from "./sign-in.ts"
import { printResult, type Terminal } from "./terminal.ts"

type RequestOptions = As & { submit?: string; prove?: true }
type VerifyOptions = As & { bootProof?: string; pins?: string; codeDigest?: string }

/**
 * The commands of `countersign`. It speaks HTTP only: no database, no signer. What takes long to load, the signer's
 * evaluator and verifier above all, is loaded by the command that needs it.
 */
export function buildProgram(environment: NodeJS.ProcessEnv, terminal: Terminal): Command {
  const settings = () => readSettings(environment)
  const program = new Command("countersign")
    .description("Talks to a Countersign API, and runs a whole system for development.")
    .version(ownVersion(), "--version", "print the version")
    .helpOption("-h, --help", "explain the command")
    .helpCommand("help [command]", "explain a command")
    .exitOverride()
    .configureOutput({
      writeOut: (line) => terminal.print(line.trimEnd()),
      writeErr: (line) => terminal.talk(line.trimEnd()),
    })
    .addHelpText(
      "after",
      `\nExit status: 0 done, 1 fault, 2 usage, 3 refused, 4 waits for approval, 5 unreachable or locked, 6 verification failed`,
    )

  program
    .command("dev")
    .description("run database, signer, fetcher and API for development, seeded at the first start")
    .option("--reset", "forget everything and start anew")
    .option("--no-seed", "do not make organization Dev")
    .action(async (options: DevOptions) => {
      const { dev } = await import("./dev/dev.ts")
      await dev({ options, environment, terminal })
    })

  const org = program.command("org").description("organizations")
  common(org.command("create <name>").description("give birth to a top-level organization"))
    .requiredOption("--setup-code <code>", "what `countersign-signer setup-code` printed")
    .requiredOption("--user-name <name>", "its first user, alone in the root quorum")
    .option("--user-email <address>", "that user's e-mail address")
    .option("--api-public-key <hex>", "that user's API key; without it one is made and shown once")
    .option("--stamp-key <file>", "private key the code is bound to; - reads it from standard input")
    .action(async (name: string, options: Common & Omit<NewOrganization, "name">) => {
      const { keysFolder, pinsFile } = settings()
      const place = { keysFolder: options.keysFolder ?? keysFolder, pinsFile, terminal }
      const { createOrganization } = await import("./commands/org-create.ts")
      const created = await createOrganization({ name, ...options }, clientOf(options, settings()), place)
      printResult(terminal, created, options)
    })

  const keys = program.command("key").description("API keys of the keys folder")
  common(keys.command("generate <name>").description("make a P-256 API key")).action(
    async (name: string, options: Common) => {
      const folder = options.keysFolder ?? settings().keysFolder
      printResult(terminal, await writeKey(folder, name, generateApiKey()), options)
    },
  )

  as(common(program.command("whoami").description("whom the API takes the holder of a key for"))).action(
    async (options: As) => {
      const { key, organizationId } = await signIn(options, settings())
      const client = { ...clientOf(options, settings()), key }
      const reply = await whoami(client, requireOrganization(organizationId))
      printResult(terminal, reply, options)
    },
  )

  as(
    common(
      program
        .command("request <path> [body]")
        .description("stamp and send any request; - reads the body from standard input"),
    ),
  )
    .option("--submit <type>", "send the body as the parameters of an activity of this type")
    .option("--prove", "ask for app proofs of that activity")
    .action(async (path: string, body: string | undefined, options: RequestOptions) => {
      const { key, organizationId } = await signIn(options, settings())
      const order = {
        path,
        body: body === "-" ? await text(process.stdin) : (body ?? "{}"),
        ...(organizationId !== undefined && { organizationId }),
        ...(options.submit !== undefined && { submitType: options.submit }),
        ...(options.prove && { prove: options.prove }),
      }
      await request(order, { ...clientOf(options, settings()), key }, options, terminal)
    })

  const policy = program
    .command("policy")
    .description("policies, tried offline by the signer's own evaluator")
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
    .description("say which expressions would be refused, and what is probably not meant")
    .option("--json", "print the result on one line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkPolicies } = await import("./commands/policy.ts")
      await checkPolicies(file, options, terminal)
    })

  const verify = program.command("verify").description("check what somebody showed, against the pins")
  as(
    common(
      verify
        .command("proof <file>")
        .description("say what an activity's app proofs prove; - reads standard input"),
    ),
  )
    .option("--boot-proof <file>", "boot proof of the process that signed; by default the API is asked")
    .option("--pins <file>", "pins of the deployment that you trust; by default those of the profile")
    .option("--code-digest <hex>", "digest of the code that you expect to have run")
    .action(async (file: string, options: VerifyOptions) => {
      const { pinsFile } = settings()
      const { bootProof, codeDigest, json } = options
      const files = {
        file,
        pins: options.pins ?? pinsFile,
        ...(bootProof !== undefined && { bootProof }),
        ...(codeDigest !== undefined && { codeDigest }),
        ...(json !== undefined && { json }),
      }
      const source = async () => {
        const { key, organizationId } = await signIn(options, settings())
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

function common(command: Command): Command {
  return command
    .option("--api <url>", "base URL of the API; by default the one that runs here")
    .option("--keys-folder <directory>", "where the key files are")
    .option("--json", "print the result on one line")
}

function as(command: Command): Command {
  return command
    .option("--as <name>", "key of the keys folder to stamp with, by name or its beginning", "root")
    .option("--organization <id>", "organization; by default the one the key belongs to")
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    version: string
  }
  return version
}
