/** The report's looks: light and dark after the reader's system, one column on a phone. */
export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#57606a, #a5adb8);
  --ground: light-dark(#ffffff, #14171a); --panel: light-dark(#f4f6f8, #1f2428); --line: light-dark(#d5dae0, #343b42);
  --accent: light-dark(#0b57d0, #8ab4f8); --mark: light-dark(#ffe58a, #6b5600); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
header, main { max-width: 82rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
.facts { color: var(--soft); margin: .2rem 0 0; }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(18rem, 2fr); gap: 1rem; padding-top: 0; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem; min-width: 0; }
.left, .right { display: grid; gap: 1rem; align-content: start; min-width: 0; }
video, audio { width: 100%; display: block; border-radius: .4rem; background: #000; }
audio { background: none; }
#lanes { display: grid; grid-template-columns: minmax(4rem, 9rem) 1fr; gap: .5rem; }
.names { min-width: 0; }
.name, .lane { height: 1.6rem; line-height: 1.6rem; margin-bottom: .25rem; }
.name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .85rem; }
.tracks { position: relative; cursor: pointer; touch-action: none; border-radius: .3rem; }
.lane { position: relative; background: light-dark(#e6eaee, #2b3137); border-radius: .3rem; overflow: hidden; }
.turn { position: absolute; top: 0; bottom: 0; background: hsl(var(--hue) 65% light-dark(45%, 60%)); background: light-dark(hsl(var(--hue) 65% 42%), hsl(var(--hue) 65% 62%)); }
.sign { position: absolute; top: 0; transform: translateX(-50%); font-size: .9rem; }
.gap { position: absolute; top: 0; bottom: 0; width: 5px; margin-left: -2px; background: repeating-linear-gradient(45deg, var(--text) 0 2px, transparent 2px 4px); }
.cursor { position: absolute; top: -2px; bottom: 0; width: 2px; background: var(--text); pointer-events: none; }
#search { width: 100%; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; }
#found { color: var(--soft); font-size: .85rem; min-height: 1.3em; margin: .2rem 0; }
#moments { list-style: none; margin: 0; padding: 0; max-height: 60vh; overflow: auto; }
#moments li { content-visibility: auto; contain-intrinsic-size: auto 2.6rem; }
#moments button { display: grid; grid-template-columns: 4.2rem 1fr; gap: 0 .6rem; width: 100%; text-align: left; font: inherit; color: inherit; background: none; border: 0; border-radius: .4rem; padding: .3rem .4rem; cursor: pointer; }
#moments button:hover { background: light-dark(#e6eaee, #2b3137); }
#moments time { color: var(--accent); font-variant-numeric: tabular-nums; grid-row: span 2; }
#moments .who { font-weight: 600; overflow-wrap: anywhere; }
#moments .text { overflow-wrap: anywhere; white-space: pre-wrap; }
#moments .spoke .text, #moments .signed .text { color: var(--soft); }
#moments .beside { margin: 0 .4rem .4rem 5.2rem; font-size: .9rem; overflow-wrap: anywhere; }
#moments .beside p { margin: 0; }
#moments .answers { color: var(--soft); border-left: 2px solid var(--line); padding-left: .5rem; }
#moments .reactions span { display: inline-block; background: var(--ground); border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; margin-right: .3rem; }
a { color: var(--accent); }
#moments li[aria-current] button { outline: 2px solid var(--accent); outline-offset: -2px; }
mark { background: var(--mark); color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 500; white-space: nowrap; }
td { white-space: nowrap; }
td { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; margin: 0; font-size: .9rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.empty { color: var(--soft); margin: 0; grid-column: 1 / -1; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { max-width: 82rem; margin: 0 auto; padding: 0 1rem 1.5rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } #moments { max-height: none; } }
@media (max-width: 30rem) { #lanes { grid-template-columns: 5rem 1fr; } header, main { padding: .6rem; } }
@media (prefers-reduced-motion: no-preference) { .cursor { transition: left .2s linear; } }
`
