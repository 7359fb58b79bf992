// The words of `doctor` on the certificate with which signer, fetcher and witness listen.
import { rmSync } from "node:fs"
import t from "tap"
import { checkCertificate } from "../../../signer/process/check-certificate.ts"
import { TestAuthority } from "../../harness/certificates.ts"

const RENEWAL = "countersign-signer certificate NAME"
const tcp = { kind: "tcp" as const, address: "localhost:1", callers: [] as string[] }

t.test(
  "a certificate that serves is said with its days and its renewal, a faulty one with its fault",
  async (t) => {
    const authority = await TestAuthority.create(t.testdir())
    const [own, other] = [await authority.issue("signer"), await authority.issue("other")]
    t.match(checkCertificate({ ...tcp, ...own }, RENEWAL), [
      {
        name: "certificate",
        state: "ok",
        sentence: /^\d+ days? left, until \d{4}-.*; to renew it: .* NAME; ./,
      },
    ])
    const mixed = checkCertificate({ ...tcp, ...own, keyFile: other.keyFile }, RENEWAL)
    t.match(mixed, [
      { name: "certificate", state: "FAULT", sentence: /\(countersign-signer certificate NAME\)$/ },
    ])
    rmSync(own.keyFile)
    const absent = checkCertificate({ ...tcp, ...own }, RENEWAL)
    t.match(absent, [{ state: "FAULT", sentence: `${own.keyFile} cannot be read (ENOENT)` }])
    t.strictSame(checkCertificate({ kind: "unix", path: "/s", access: {} as never }, RENEWAL), [])
  },
)
