//! Writes the sources of two chapters again, so that each read and write of a place is noted.
//!
//! The chapters are not touched, and measured programs are not compiled from here. In the observed files, three
//! things are replaced: a read of a place goes through `seen::read`; a write through `seen::written`; and the
//! containers of `std` become stand-ins that note what the real ones would touch. The build stops at a method for
//! which it is not declared whether it reads its receiver.

use std::path::Path;
use std::{env, fs};

use quote::{ToTokens, format_ident};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprMethodCall, File, Item, ItemStruct, Stmt, UnOp, UseTree, Visibility, parse_quote};

/// A chapter's folder, the module that its files become, and which of them are observed.
type Chapter = (&'static str, &'static str, &'static [(&'static str, bool)]);

const CHAPTERS: [Chapter; 2] = [
    ("0x01-naive", "naive", &[("accounts", false), ("book", true), ("exchange", false), ("trading", false)]),
    (
        "0x05-array-book",
        "array",
        &[
            ("accounts", false),
            ("book", true),
            ("exchange", false),
            ("id_table", true),
            ("metrics", false),
            ("slab", true),
            ("trading", false),
        ],
    ),
];

/// Methods that read their receiver: numbers, and the length of a vector or a box.
const READ: [&str; 10] =
    ["capacity", "cents", "checked_ilog2", "complement", "crosses", "is_empty", "is_zero", "len", "max", "side"];

/// Methods that are observed themselves, in the chapters' files or in the stand-ins.
const OBSERVED: [&str; 18] = [
    "bytes",
    "entry",
    "extend",
    "find",
    "first_key_value",
    "get",
    "get_mut",
    "insert",
    "last_key_value",
    "link",
    "order",
    "place",
    "remove",
    "take",
    "values",
    "iter",
    "front",
    "push_back",
];

/// Methods of a vector for which there is a stand-in.
const OF_A_VECTOR: [&str; 2] = ["pop", "push"];

#[allow(clippy::print_stdout, reason = "a build script talks to cargo like this")]
fn main() {
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the folder of the crate");
    let chapters = Path::new(&here).join("../../chapters");
    let out = env::var_os("OUT_DIR").expect("cargo names a folder for what is generated");
    for (chapter, module, files) in CHAPTERS {
        for (file, is_observed) in files {
            let path = chapters.join(chapter).join("src").join(file).with_extension("rs");
            println!("cargo::rerun-if-changed={}", path.display());
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut source = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Observer { is_observed: *is_observed }.visit_file_mut(&mut source);
            let written = Path::new(&out).join(format!("{module}-{file}.rs"));
            fs::write(written, source.into_token_stream().to_string()).expect("the generated code can be written");
        }
    }
}

/// Rewrites a file; if it is not observed, only its paths and the visibility of its types.
struct Observer {
    is_observed: bool,
}

impl VisitMut for Observer {
    fn visit_file_mut(&mut self, file: &mut File) {
        file.attrs.clear();
        file.items.retain(|item| !matches!(item, Item::Mod(_)));
        visit_mut::visit_file_mut(self, file);
    }

    /// The types that hold the book's parts become visible.
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        let opened = |visibility: &mut Visibility| {
            if matches!(visibility, Visibility::Inherited) {
                *visibility = parse_quote!(pub(crate));
            }
        };
        opened(&mut item.vis);
        item.fields.iter_mut().for_each(|field| opened(&mut field.vis));
        visit_mut::visit_item_struct_mut(self, item);
    }

    /// The chapter's crate is a module here, and the containers of an observed file are the stand-ins.
    fn visit_use_tree_mut(&mut self, tree: &mut UseTree) {
        if let UseTree::Path(path) = tree {
            if path.ident == "crate" {
                path.ident = format_ident!("super");
            } else if path.ident == "std" && self.is_observed {
                path.ident = format_ident!("crate");
            }
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if !self.is_observed {
            return visit_mut::visit_expr_mut(self, expr);
        }
        match expr {
            place if is_place(place) => {
                let bases = self.within(place);
                *place = parse_quote!((*{ #(#bases)* crate::seen::read(&#place) }));
            }
            Expr::Reference(reference) if is_place(&reference.expr) => {
                let bases = self.within(&mut reference.expr);
                if !bases.is_empty() {
                    *expr = parse_quote!(({ #(#bases)* #expr }));
                }
            }
            Expr::Assign(assign) if is_place(&assign.left) => {
                self.visit_expr_mut(&mut assign.right);
                let bases = self.within(&mut assign.left);
                let (place, value) = (&assign.left, &assign.right);
                *expr = parse_quote!({ #(#bases)* *crate::seen::written(&mut #place) = #value });
            }
            Expr::Binary(binary) if is_assignment(&binary.op) && is_place(&binary.left) => {
                self.visit_expr_mut(&mut binary.right);
                let bases = self.within(&mut binary.left);
                let (place, op, value) = (&binary.left, &binary.op, &binary.right);
                *expr = parse_quote!({ #(#bases)* *crate::seen::changed(&mut #place) #op #value });
            }
            Expr::MethodCall(call) if is_place(&call.receiver) => {
                if let Some(stand_in) = self.method(call) {
                    *expr = stand_in;
                }
            }
            Expr::Call(call) => {
                call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
                if call.func.to_token_stream().to_string() == "std :: mem :: replace" {
                    *call.func = parse_quote!(crate::seen::replace);
                }
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

impl Observer {
    /// Observes the expressions through which a place is reached, and returns a note for each vector or box whose
    /// address is read for it.
    fn within(&mut self, place: &mut Expr) -> Vec<Stmt> {
        match place {
            Expr::Field(field) => self.within(&mut field.base),
            Expr::Index(index) => {
                let mut bases = self.within(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
                let base = &index.expr;
                bases.push(parse_quote!(crate::seen::base(&#base);));
                bases
            }
            Expr::Paren(inner) => self.within(&mut inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                self.visit_expr_mut(&mut unary.expr);
                Vec::new()
            }
            _ => {
                self.visit_expr_mut(place);
                Vec::new()
            }
        }
    }

    /// A method that is called on a place; returns its replacement, if there is one.
    fn method(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        let name = call.method.to_string();
        let (receiver, method, arguments) = (&mut call.receiver, &call.method, &call.args);
        if READ.contains(&&*name) {
            self.visit_expr_mut(receiver);
            return None;
        }
        let bases = self.within(receiver);
        if OF_A_VECTOR.contains(&&*name) {
            return Some(parse_quote!(({ #(#bases)* crate::seen::#method(&mut #receiver, #arguments) })));
        }
        assert!(OBSERVED.contains(&&*name), "does `{name}` read its receiver? Declare it in {}", file!());
        assert!(bases.is_empty(), "`{name}` is called on an element: {}", receiver.to_token_stream());
        None
    }
}

fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Paren(inner) => is_place(&inner.expr),
        _ => false,
    }
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(op, AddAssign(_) | SubAssign(_) | BitAndAssign(_) | BitOrAssign(_) | BitXorAssign(_))
}
