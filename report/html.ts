/** One self-contained page: style, script and data are in it; only the media file is beside it. */
import { createHash } from 'node:crypto'
import type { ReportData } from './page/data.ts'
import { STYLE } from './style.ts'

/** `script` is the bundle of `report/page/main.ts`. */
export function reportHtml(data: ReportData, script: string): string {
  // No name and no message can end the element that contains the data.
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped)
  const code = script.replaceAll('</script', '<\\/script')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(`\n${code}\n`)}'`,
    // The bars of the timeline are placed by style.
    "style-src 'unsafe-inline'",
    "media-src 'self' file:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recording</title>
<style>${STYLE}</style>
</head>
<body>
<header id="about"></header>
<main>
<div class="left">
<section aria-label="Recording">${mediaElement(data.media)}</section>
<section aria-labelledby="lanes-title"><h2 id="lanes-title">Who spoke when</h2><div id="lanes"></div></section>
<section aria-labelledby="people-title"><h2 id="people-title">People</h2><div class="scroll"><table id="people">
<thead><tr><th scope="col">Name</th><th scope="col">Spoke</th><th scope="col">Share</th><th scope="col">Was there</th></tr></thead>
<tbody></tbody></table></div></section>
<section aria-labelledby="quality-title"><h2 id="quality-title">The recording</h2><dl id="quality"></dl></section>
</div>
<div class="right">
<section aria-labelledby="moments-title"><h2 id="moments-title">What was said and written</h2>
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search names and words" autocomplete="off">
<p id="found" role="status"></p>
<ol id="moments"></ol></section>
</div>
</main>
<footer>k plays and pauses, j and l go ten seconds back and on, / searches.</footer>
<script id="data" type="application/json">${json}</script>
<script>
${code}
</script>
<noscript>This page needs JavaScript to show the timeline; the recording plays without it.</noscript>
</body>
</html>
`
}

function mediaElement(media: ReportData['media']): string {
  if (media === null) return '<p class="empty">Nothing was recorded.</p>'
  // The recorder chose this file name; it never contains a person's name.
  return `<${media.kind} id="player" controls preload="metadata" src="${media.file}"></${media.kind}>`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
