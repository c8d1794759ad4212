import type { HealthState } from '../report/health.ts';
import { foreign, html, type Part } from './html.ts';

/** A document to send. */
export interface PageDocument {
  readonly body: string;
  /** The content type. The default is HTML. */
  readonly type?: string;
  /** The file name that a browser suggests when it saves the document. */
  readonly fileName?: string;
}

/** Builds a page's HTML document. It loads nothing from other hosts and has no inline script or style. */
export function documentOf(page: {
  readonly title: string;
  readonly source: { readonly name: string; readonly url: string | null };
  readonly zone: string;
  /** The search field's content. */
  readonly query: string;
  /** Present only if the page updates without a reload. */
  readonly live?: { readonly version: string; readonly drawnAt: string };
  readonly icon?: HealthState;
  readonly main: Part;
}): string {
  const { title, source, zone, query, live, icon = 'healthy', main } = page;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/page/icon-${icon}.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/page.css">${live === undefined && html`<link rel="stylesheet" href="/page/details.css"><script type="module" src="/page/details.js"></script>`}
<script type="module" src="/page/page.js"></script>
</head>
<body data-zone="${zone}"${live !== undefined && html` data-version="${live.version}" data-drawn="${live.drawnAt}"`}>
<a class="skip" href="#main">Skip to the content</a>
<p id="lost" role="alert" hidden></p>
<header class="top">
<p class="name"><a href="/">${foreign(source.name)}</a></p>
<nav aria-label="Main"><a href="/">Overview</a> <a href="/page/changes">Changes</a></nav>
<form role="search" action="/page/search" method="get">
<label for="q" class="unseen">Search companies by name or identifier</label>
<input id="q" name="q" type="search" placeholder="Name or identifier" value="${query}" autocomplete="off" spellcheck="false" maxlength="200">
<button>Search</button>
</form>
</header>
<div id="found" aria-live="polite"></div>
<main id="main" tabindex="-1">${main}</main>
<footer><p>${foreign(source.name)}${source.url !== null && html`, <span class="url">${foreign(source.url)}</span>`}. Mirrored by registry-mirror. Times in ${zone}.</p></footer>
</body>
</html>
`.markup;
}
