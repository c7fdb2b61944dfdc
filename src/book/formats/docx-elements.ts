/** The elements of a Word document (ECMA-376 Part 1) by what becomes of them. */
import { meaningOf } from '../../word-lists.ts';

/** Elements that mammoth reads by itself, and those that have no words. */
export const known = new Set(
  `w:document w:body w:footnotes w:endnotes w:comments w:footnote w:endnote w:comment w:p w:r w:t w:tab w:noBreakHyphen w:softHyphen
  w:sym w:hyperlink w:tbl w:tr w:tc w:footnoteReference w:endnoteReference w:commentReference w:br w:bookmarkStart w:sdt
  w:sdtContent w:customXml w:ins w:moveTo w:object w:smartTag w:drawing w:pict w:fldChar w:instrText v:roundrect v:shape v:textbox
  w:txbxContent wp:inline wp:anchor v:imagedata v:group v:rect w:pPr w:rPr w:tblPr w:tblGrid w:trPr w:tcPr w:sectPr w:sdtPr
  w:sdtEndPr w:bookmarkEnd w:proofErr w:lastRenderedPageBreak w:commentRangeStart w:commentRangeEnd w:footnoteRef w:endnoteRef
  w:moveFromRangeStart w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd w:annotationRef v:shapetype`.split(/\s+/),
);
/** Their children are properties, which stay as they are. */
export const properties = new Set(
  'w:pPr w:rPr w:tblPr w:tblGrid w:trPr w:tcPr w:sectPr w:sdtPr w:sdtEndPr v:shapetype'.split(' '),
);
export const dropped = meaningOf({
  changes: 'w:del w:moveFrom',
  readings: 'w:rt',
  embedded: 'w:altChunk w:subDoc w:contentPart',
  nothing: 'w:fldData w:pgNum w:ffData w:rubyPr w:separator w:continuationSeparator',
});
/** Elements that hold paragraphs. */
export const stories = new Set(['w:body', 'w:tc', 'w:txbxContent', 'w:footnote', 'w:endnote', 'w:comment']);
export const vml = 'urn:schemas-microsoft-com:vml';

const transitional = 'http://schemas.openxmlformats.org';
const strict = 'http://purl.oclc.org/ooxml';
/** Prefixes as mammoth has them, by namespace. */
export const prefixes = meaningOf({
  w: `${transitional}/wordprocessingml/2006/main ${strict}/wordprocessingml/main`,
  m: `${transitional}/officeDocument/2006/math ${strict}/officeDocument/math`,
  wp: `${transitional}/drawingml/2006/wordprocessingDrawing ${strict}/drawingml/wordprocessingDrawing`,
  a: `${transitional}/drawingml/2006/main ${strict}/drawingml/main`,
  pic: `${transitional}/drawingml/2006/picture ${strict}/drawingml/picture`,
  mc: `${transitional}/markup-compatibility/2006`,
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  r: `${transitional}/officeDocument/2006/relationships ${strict}/officeDocument/relationships`,
  v: vml,
});
