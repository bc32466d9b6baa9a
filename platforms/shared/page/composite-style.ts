/** The look of the composite. Nothing moves by itself: every animation would cost a drawing of the whole picture. */
export const COMPOSITE_STYLE = `
:host { background: #15171c !important }
.stage {
  position: absolute; background: #15171c; color: #e8eaee; overflow: hidden;
  font-family: 'Liberation Sans', 'Noto Sans', 'DejaVu Sans', 'Noto Color Emoji', sans-serif;
  font-weight: 400; line-height: 1.25; text-rendering: optimizeLegibility;
}
.tile { position: absolute; inset: 0; z-index: 1; visibility: hidden; contain: layout style }
.tile.in-view { visibility: inherit }
.picture, .caption, .rest { position: absolute; box-sizing: border-box; overflow: hidden }
.picture { background: #23262e; border-radius: 10px; contain: strict }
.tile.is-screen .picture { background: #0c0d10; border-radius: 6px }
.tile.is-speaking .picture::after {
  content: ''; position: absolute; inset: 0; border: 3px solid #7cb0ff; border-radius: inherit;
}
.initials {
  position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%);
  display: flex; align-items: center; justify-content: center; overflow: hidden;
  border-radius: 50%; color: #fff; font-weight: 700; line-height: 1; white-space: nowrap; direction: ltr;
}
.tile.is-screen .initials { display: none }
video {
  position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; visibility: hidden;
}
.tile.is-screen video, .tile.is-portrait video { object-fit: contain }
.tile.in-view.has-picture video { visibility: inherit }
.tile.is-standby { z-index: 0 }
.tile.is-leaving { z-index: 2 }
.caption { background: #15171c; display: flex; align-items: center; gap: .4em; padding: 0 4px; color: #c9ced8 }
.tile.is-speaking .caption { color: #fff }
.caption::before { content: ''; flex: none; display: none; width: .5em; height: .5em; border-radius: 50%; background: #7cb0ff }
.tile.is-speaking .caption::before { display: block }
.name {
  flex: 0 1 auto; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; unicode-bidi: isolate;
  padding: 0 1px;
}
.rest { display: none; align-items: center; justify-content: center; background: #23262e; border-radius: 10px; color: #c9ced8 }
.rest.in-view { display: flex }
.empty { position: absolute; inset: 0; display: none; align-items: center; justify-content: center }
.empty.in-view { display: flex }
.empty span {
  max-width: 70%; padding: 22px 40px; border-radius: 14px; background: #23262e; font-size: 26px; text-align: center;
  unicode-bidi: isolate;
}
`

/** Calm grounds for initials, far enough apart to tell neighbors from each other; white text reads on each. */
export const CALM_COLORS = [
  '#4c6fa5',
  '#8a5a83',
  '#4f7f6b',
  '#a0664b',
  '#5b5f9e',
  '#7a7440',
  '#3f7d8c',
  '#9a5567',
  '#5d7d45',
  '#74609f',
  '#8f6d3a',
  '#4a6a7c',
] as const
