import { daysUntil } from "../../common/certificate-days.ts"
import type { MetricName } from "../../common/metrics/declared.ts"
import type { Metrics, MetricSample } from "../../common/metrics/metrics.ts"
import { type Links, PEERS } from "../signer/links.ts"

const NAME = "countersign_certificate_days_left" satisfies MetricName

/** Registers the days that the certificates of the connections to signer and fetcher have left. */
export function provideCertificateFigures(metrics: Metrics, links: Links, now: () => number): void {
  const read = (): MetricSample[] =>
    PEERS.flatMap((link) =>
      (links[link]?.certificates ?? []).map(({ holder, expiresAtMs }) => ({
        value: daysUntil(expiresAtMs, now()),
        labels: { link, holder },
      })),
    )
  metrics.provide([NAME], async () => new Map([[NAME, read()]]))
}
