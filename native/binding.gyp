{
  "variables": {
    "include": [".", "generated", "ggml", "<!(node -p \"require('node-addon-api').include_dir\")"],
    # sources that only tests need; packages are without them
    "probe%": "<!(node -p \"require('fs').existsSync('probe') ? 1 : 0\")",
    "warnings": ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-cast-function-type"]
  },
  "target_defaults": {
    "include_dirs": ["<@(include)"],
    "defines": ["NAPI_VERSION=8", "NAPI_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"],
    "cflags_cc": ["-std=c++20", "-O2", "-fexceptions", "<@(warnings)"],
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
    "xcode_settings": {
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "MACOSX_DEPLOYMENT_TARGET": "14.0"
    },
    "msvs_settings": {
      "VCCLCompilerTool": { "ExceptionHandling": 1, "AdditionalOptions": ["/std:c++20"], "AdditionalOptions!": ["-std:c++17"] }
    }
  },
  "targets": [
    {
      "target_name": "svc",
      "sources": ["<!@(node -p \"['addon'].flatMap(d=>require('fs').readdirSync(d,{recursive:true}).filter(f=>f.endsWith('.cc')&&!/^isa_(?!portable)/.test(f)).map(f=>d+'/'+f)).join(' ')\")"],
      "dependencies": ["svc_model"],
      "conditions": [
        ["OS=='linux'", { "libraries": ["-ldl"] }],
        ["probe==1", { "sources": ["probe/probe.cc", "probe/probe_object.cc"], "defines": ["SVC_PROBE"] }]
      ]
    },
    {
      "target_name": "svc_model",
      "type": "static_library",
      "sources": ["<!@(node -p \"['model','runtime','kernels'].flatMap(d=>require('fs').readdirSync(d,{recursive:true}).filter(f=>f.endsWith('.cc')&&!/^isa_(?!portable)/.test(f)).map(f=>d+'/'+f)).join(' ')\")"],
      "conditions": [
        ["target_arch=='x64' and OS!='win'", { "dependencies": ["kernels_avx512_bf16", "kernels_avx512", "kernels_avx_vnni", "kernels_avx2"] }],
        ["target_arch=='arm64' and OS!='win'", { "dependencies": ["kernels_neon_i8mm", "kernels_neon", "kernels_neon_v8"] }]
      ]
    }
  ],
  "conditions": [
    ["probe==1", {
      "targets": [
        {
          # the addon of packages
          "target_name": "svc_packed",
          "sources": ["<!@(node -p \"['addon'].flatMap(d=>require('fs').readdirSync(d,{recursive:true}).filter(f=>f.endsWith('.cc')&&!/^isa_(?!portable)/.test(f)).map(f=>d+'/'+f)).join(' ')\")"],
          "dependencies": ["svc_model"],
          "conditions": [["OS=='linux'", { "libraries": ["-ldl"] }]]
        }
      ]
    }],
    ["target_arch=='x64' and OS!='win'", {
      "targets": [
        {
          "target_name": "kernels_avx512_bf16",
          "type": "static_library",
          "sources": ["kernels/isa_avx512_bf16.cc"],
          "cflags_cc": ["-O3", "-Wno-uninitialized", "-Wno-maybe-uninitialized", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni", "-mavx512bf16", "-mfma", "-mf16c"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni", "-mavx512bf16", "-mfma", "-mf16c"] }
        },
        {
          "target_name": "kernels_avx512",
          "type": "static_library",
          "sources": ["kernels/isa_avx512.cc"],
          "cflags_cc": ["-O3", "-Wno-uninitialized", "-Wno-maybe-uninitialized", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni", "-mfma", "-mf16c"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni", "-mfma", "-mf16c"] }
        },
        {
          "target_name": "kernels_avx_vnni",
          "type": "static_library",
          "sources": ["kernels/isa_avx_vnni.cc"],
          "cflags_cc": ["-O3", "-mavx2", "-mavxvnni", "-mfma", "-mf16c"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-mavx2", "-mavxvnni", "-mfma", "-mf16c"] }
        },
        {
          "target_name": "kernels_avx2",
          "type": "static_library",
          "sources": ["kernels/isa_avx2.cc"],
          "cflags_cc": ["-O3", "-mavx2", "-mfma", "-mf16c"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-mavx2", "-mfma", "-mf16c"] }
        }
      ]
    }],
    ["target_arch=='arm64' and OS!='win'", {
      "targets": [
        {
          "target_name": "kernels_neon_i8mm",
          "type": "static_library",
          "sources": ["kernels/isa_neon_i8mm.cc"],
          "cflags_cc": ["-O3", "-fno-schedule-insns", "-march=armv8.2-a+dotprod+i8mm"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-march=armv8.2-a+dotprod+i8mm"] }
        },
        {
          "target_name": "kernels_neon",
          "type": "static_library",
          "sources": ["kernels/isa_neon.cc"],
          "cflags_cc": ["-O3", "-fno-schedule-insns", "-march=armv8.2-a+dotprod"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-march=armv8.2-a+dotprod"] }
        },
        {
          "target_name": "kernels_neon_v8",
          "type": "static_library",
          "sources": ["kernels/isa_neon_v8.cc"],
          "cflags_cc": ["-O3", "-fno-schedule-insns", "-march=armv8-a"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "-march=armv8-a"] }
        }
      ]
    }]
  ]
}
