import t from "tap"
import { faultOfStart } from "../../../../signer/core/settings/process-start.ts"

const USUAL = { options: [], nodeOptions: "", inspectorUrl: undefined, tlsRejectUnauthorized: undefined }

t.test("accepts the options that the documents and the images name", async (t) => {
  const options = [
    "--disable-sigusr1",
    "--disallow-code-generation-from-strings",
    "--disable-proto=throw",
    "--env-file=.env.local",
    "--cpu-prof",
    "--no-inspect",
    "--import",
    "data:text/javascript,",
  ]
  t.equal(faultOfStart({ ...USUAL, options }), undefined)
  t.equal(faultOfStart({ ...USUAL, nodeOptions: "--disable-sigusr1 --max-old-space-size=512" }), undefined)
})

t.test("refuses every option that opens a debugger or writes memory or keys, in each place", async (t) => {
  const refused = [
    "--inspect",
    "--inspect=0.0.0.0:9229",
    "--inspect-brk",
    "--inspect-wait=1",
    "--inspect-port=0",
    "--debug-port=0",
    "--heapsnapshot-signal=SIGUSR2",
    "--heapsnapshot-near-heap-limit=1",
    "--report-on-signal",
    "--report-on-fatalerror",
    "--report-uncaught-exception",
    "--abort-on-uncaught-exception",
    "--tls-keylog=keys",
  ]
  for (const option of refused) {
    const name = option.split("=")[0]
    t.match(faultOfStart({ ...USUAL, options: ["--no-warnings", option] }), `${name} in the command line: `)
    t.match(faultOfStart({ ...USUAL, nodeOptions: `--no-warnings ${option}` }), `${name} in NODE_OPTIONS: `)
  }
})

t.test("refuses a refused option in every spelling that Node reads", async (t) => {
  for (const nodeOptions of [
    "--heapsnapshot_signal=SIGUSR2",
    '"--inspect"',
    '"--in\\spect=0"',
    "--inspect_brk",
  ])
    t.match(
      faultOfStart({ ...USUAL, nodeOptions }),
      /^--(?:heapsnapshot-signal|inspect(?:-brk)?) in NODE_OPTIONS: /,
    )
})

t.test("refuses a debugger that is open already", async (t) => {
  t.match(faultOfStart({ ...USUAL, inspectorUrl: "ws://127.0.0.1:9229/x" }), /^a debugger's port is open/)
})

t.test("a variable that turns off the verification of certificates is refused", async (t) => {
  t.match(faultOfStart({ ...USUAL, tlsRejectUnauthorized: "0" }), /^NODE_TLS_REJECT_UNAUTHORIZED=0 accepts/)
  for (const tlsRejectUnauthorized of ["1", "", undefined])
    t.equal(faultOfStart({ ...USUAL, tlsRejectUnauthorized }), undefined)
})
